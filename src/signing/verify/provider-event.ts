/** What a verified request turned out to be. */
import type { Members } from "./members.ts";
import type { IdSource } from "./settings.ts";

/** One business event; the server makes it an event of the source. */
export interface SingleEvent {
  readonly kind: "event";
  /** Not empty; its form is checked where events are parsed. */
  readonly id: string;
  /** The provider's own word, with its action where there is one. */
  readonly type: string;
  /** RFC 3339, UTC. */
  readonly time?: string;
  readonly subject?: string;
  /** False = the id stands outside the signature, so equal bodies under other ids are suspicious. */
  readonly idIsSigned: boolean;
  /** Top-level JSON members that may change between redeliveries: not part of the fingerprint. */
  readonly volatileMembers: readonly string[];
  /** Absent = the whole body of the request; else the element of a batch, byte for byte, which is JSON. */
  readonly body?: Uint8Array;
}

/** Something to answer at once, with nothing to deliver. */
export interface Handshake {
  readonly kind: "handshake";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** A sentence for the operator: something is left to do by hand. */
  readonly advice?: string;
}

export type UnreadableReason =
  | "batch_malformed"
  | "batch_too_large"
  | "body_malformed"
  | "handshake_malformed"
  | "id_missing"
  | "type_missing";

export interface Unreadable {
  readonly kind: "unreadable";
  readonly because: UnreadableReason;
}

export type ProviderEvent =
  | SingleEvent
  /** Several events in one request, in their order; may be empty. Each has its own `body`. */
  | { readonly kind: "batch"; readonly events: readonly SingleEvent[] }
  | Handshake
  | Unreadable;

/** What a provider says of an event; null = it does not. */
export interface ProviderWords {
  readonly id: string | null;
  readonly type: string | null;
  readonly time?: string | null;
  readonly subject?: string | null;
  /** Absent = true. */
  readonly idIsSigned?: boolean;
  readonly volatileMembers?: readonly string[];
}

/** The provider's words as an event; members named by `idFrom` make the id instead of its own. */
export function eventOf({ idFrom }: IdSource, members: Members, words: ProviderWords): SingleEvent | Unreadable {
  const id = idFrom === null ? words.id : joinMembers(members, idFrom);
  if (id === null) return unreadable("id_missing");
  if (words.type === null) return unreadable("type_missing");
  const { time = null, subject = null, idIsSigned = true, volatileMembers = [] } = words;
  return {
    kind: "event",
    id,
    type: words.type,
    ...(time === null ? {} : { time }),
    ...(subject === null ? {} : { subject }),
    idIsSigned: idFrom !== null || idIsSigned,
    volatileMembers,
  };
}

/**
 * One text of several members, joined by `:`; null when one is missing.
 *
 * Two lists of values never give one text: with more than one, `%` and `:` in
 * a value become `%25` and `%3A`.
 */
export function joinMembers(members: Members, paths: readonly string[]): string | null {
  const values = paths.map((path) => members.text(path));
  const texts = values.filter((value) => value !== null);
  if (texts.length === 0 || texts.length < values.length) return null;
  if (texts.length === 1) return texts[0] ?? null;
  return texts.map((text) => text.replaceAll("%", "%25").replaceAll(":", "%3A")).join(":");
}

export function unreadable(because: UnreadableReason): Unreadable {
  return { kind: "unreadable", because };
}
