/** Payloads and timestamps of raw server answers, decoded as the client's own converter does. */
import type { Client } from "@temporalio/client";
import type { Payload } from "@temporalio/common";

export type Decode = (payload: Payload) => Promise<unknown>;

/** Stands for a payload that this client cannot read: another codec, an unknown encoding, broken JSON. */
export const UNDECODABLE = Object.freeze({ undecodable: true });

/**
 * Codecs are undone from the last to the first; the converter reads what remains.
 *
 * Never throws: anybody may put anything into a run, and one odd payload must not hide the rest. It reads as `UNDECODABLE`.
 */
export function decoderOf(client: Client): Decode {
  const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
  return async (payload) => {
    try {
      let payloads = [payload];
      for (const codec of payloadCodecs.toReversed()) payloads = await codec.decode(payloads);
      return payloads[0] === undefined ? undefined : payloadConverter.fromPayload(payloads[0]);
    } catch {
      return UNDECODABLE;
    }
  };
}

interface Timestamp {
  readonly seconds?: unknown;
  readonly nanos?: number | null;
}

/** Milliseconds since the epoch, rounded down; 0 when absent. */
export function millis(timestamp: Timestamp | null | undefined): number {
  return Number(timestamp?.seconds ?? 0) * 1000 + Math.floor((timestamp?.nanos ?? 0) / 1_000_000);
}
