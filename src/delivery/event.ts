/** The business event: a CloudEvent 1.0.2 as producers hand it in. */

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue };

export interface Evidence {
  readonly title: string;
  readonly url?: string;
  readonly text?: string;
}

/**
 * A business fact.
 *
 * At most one of `data` and `data_base64` is present; neither means an empty
 * body. `data_base64` together with a JSON content type carries JSON bytes that
 * `JSON.stringify(JSON.parse(..))` would not give back.
 */
export interface BusinessEvent {
  /** A configured source name or one of its aliases. */
  readonly source: string;
  /** 1–160 bytes of visible text, kept as given. */
  readonly id: string;
  readonly type: string;
  /** RFC 3339. */
  readonly time?: string;
  readonly subject?: string;
  /** Absent = `application/json`. */
  readonly datacontenttype?: string;
  readonly data?: JsonValue;
  readonly data_base64?: string;
  readonly specversion?: string;
  readonly requestedBy?: string;
  readonly evidence?: readonly Evidence[];
  /** W3C Trace Context, passed on to endpoints. */
  readonly traceparent?: string;
  /** One attempt, never retried or parked, never counted for health. */
  readonly synthetic?: boolean;
}
