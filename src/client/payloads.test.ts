import type { Client } from "@temporalio/client";
import { defaultPayloadConverter, type Payload, type PayloadCodec } from "@temporalio/common";
import { describe, expect, test } from "vitest";
import { decoderOf, millis, UNDECODABLE } from "./payloads.ts";

/** As much of a client as decoding needs. */
function aClient(payloadCodecs: readonly PayloadCodec[]): Client {
  return {
    options: { loadedDataConverter: { payloadCodecs, payloadConverter: defaultPayloadConverter } },
  } as unknown as Client;
}

/** Puts a mark in front of the bytes, and takes only that mark off again. */
function marking(mark: string): PayloadCodec {
  const bytes = Buffer.from(mark);
  return {
    encode: (payloads) =>
      Promise.resolve(payloads.map((payload) => ({ ...payload, data: Buffer.concat([bytes, payload.data ?? bytes]) }))),
    decode: (payloads) =>
      Promise.resolve(
        payloads.map((payload) => {
          const data = Buffer.from(payload.data ?? []);
          if (!data.subarray(0, bytes.length).equals(bytes)) throw new TypeError(`The payload does not bear ${mark}`);
          return { ...payload, data: data.subarray(bytes.length) };
        }),
      ),
  };
}

describe("decoderOf", () => {
  const payload: Payload = defaultPayloadConverter.toPayload({ n: 1 });

  test("reads what the client's converter has written", async () => {
    expect(await decoderOf(aClient([]))(payload)).toEqual({ n: 1 });
  });

  test("undoes codecs from the last to the first", async () => {
    const [inner, outer] = [marking("inner:"), marking("outer:")];
    const encoded = await outer.encode(await inner.encode([payload]));
    expect(await decoderOf(aClient([inner, outer]))(encoded[0] ?? payload)).toEqual({ n: 1 });
  });

  test("reads nothing out of a codec that gives nothing back", async () => {
    const empty: PayloadCodec = { encode: () => Promise.resolve([]), decode: () => Promise.resolve([]) };
    expect(await decoderOf(aClient([empty]))(payload)).toBeUndefined();
  });

  test.each<[string, Payload, readonly PayloadCodec[]]>([
    ["an encoding nobody here knows", { metadata: { encoding: Buffer.from("a/b") }, data: Buffer.from("x") }, []],
    ["JSON that is none", { metadata: { encoding: Buffer.from("json/plain") }, data: Buffer.from("{") }, []],
    ["no metadata", { data: Buffer.from("{}") }, []],
    ["a codec that refuses", payload, [marking("sealed:")]],
  ])("does not stumble over %s", async (_what, odd, codecs) => {
    expect(await decoderOf(aClient(codecs))(odd)).toBe(UNDECODABLE);
  });
});

describe("millis", () => {
  test.each([
    [{ seconds: 1_795_953_600, nanos: 123_999_999 }, 1_795_953_600_123],
    [{ seconds: "1795953600" }, 1_795_953_600_000],
    [{ seconds: new Number(1_795_953_600), nanos: null }, 1_795_953_600_000],
    [{}, 0],
    [null, 0],
    [undefined, 0],
  ])("reads %j", (timestamp, expected) => {
    expect(millis(timestamp)).toBe(expected);
  });
});
