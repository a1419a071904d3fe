import { describe, expect, test } from "vitest";
import { aConfig } from "../../test/support/a-config.ts";
import type { Session } from "./session.ts";
import { submit } from "./submit.ts";

const MIB = 1024 * 1024;

/** As much of a session as a submit needs; keeps the options of the start. */
function aSession(endpoints: readonly string[]) {
  const started: Record<string, unknown>[] = [];
  const start = (_type: string, options: Record<string, unknown>) => {
    started.push(options);
    return Promise.resolve({ firstExecutionRunId: "run-1" });
  };
  const config = aConfig({
    baseUrl: "https://example.test",
    endpoints: Object.fromEntries(endpoints.map((name) => [name, { maxBodyBytes: "1MiB" }])),
    routes: [{ match: { type: "to.all" }, to: [...endpoints] }],
  });
  const withDeadline = async <Result>(_deadlineMs: number, call: () => Promise<Result>) => await call();
  const client = { workflow: { start }, withDeadline };
  const ready = () => Promise.resolve({ eager: false });
  return { session: { client, config, ready } as unknown as Session, started };
}

const EVENT = { source: "shop", id: "evt_1", type: "to.all" };

describe("submit", () => {
  test("names as many endpoints for lists as the server takes", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `e${index}`.padEnd(54, "x"));
    const { session, started } = aSession(names);
    await submit(session, EVENT);
    const { typedSearchAttributes } = started[0] as {
      readonly typedSearchAttributes: readonly { readonly key: { readonly name: string }; readonly value: unknown }[];
    }; // what `submit` starts a run with
    const listed = typedSearchAttributes.find(({ key }) => key.name === "CountersignEndpoints")?.value;
    expect(listed).toEqual(names.slice(0, 33)); // 33 × 57 bytes + 1
  });

  test("refuses what the server would not take, evidence included, before anything is started", async () => {
    const { session, started } = aSession(["crm"]);
    const evidence = Array.from({ length: 16 }, (_, index) => ({ title: `no. ${index}`, text: "\u0001".repeat(4000) }));
    const data_base64 = Buffer.alloc(MIB).toString("base64");
    const sent = { ...EVENT, datacontenttype: "application/octet-stream", data_base64 };
    await submit(session, sent);
    expect(started).toHaveLength(1);
    const large = { ...EVENT, datacontenttype: "text/plain", data: "\u0001".repeat(MIB / 2), evidence };
    await expect(submit(session, large)).rejects.toMatchObject({
      code: "body_too_large",
      message: expect.stringMatching(/takes \d+ bytes .* at most 1992294\. .*evidence/),
      details: { maxInputBytes: 1_992_294 },
    });
    expect(started).toHaveLength(1);
  });
});
