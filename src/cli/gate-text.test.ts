import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { anEndpoint } from "../../test/support/an-endpoint.ts";
import type { EndpointDetail } from "../client/endpoint-detail.ts";
import { colorGate, gateSentence, gateText } from "./gate-text.ts";

const NOW_MS = Date.parse("2026-11-29T10:00:00Z");
const UNTIL = "2026-11-29T12:00:00.000Z";
const SINCE = "2026-11-29T09:59:00.000Z";
const sentence = (gate: Partial<EndpointDetail["gate"]>) => gateSentence(anEndpoint({ gate }), NOW_MS);

test.each([
  [{}, "open"],
  [{ ramping: true }, "open, draining"],
  [{ state: "paused" }, "paused"],
  [{ state: "paused", until: UNTIL }, "paused until 2026-11-29 12:00:00 UTC"],
  [{ state: "tripped", probing: true, until: UNTIL }, "probing"],
  [{ state: "throttled", until: UNTIL }, "throttled until 2026-11-29 12:00:00 UTC"],
] as const)("a gate %j is %s in a table", (gate, text) => {
  expect(gateText(anEndpoint({ gate }).gate)).toBe(text);
});

describe("a gate in a sentence", () => {
  test("of a pause names who, why, since when and until when", () => {
    const held = { state: "paused", who: "ana@example.com", why: "vendor maintenance", since: SINCE } as const;
    expect(sentence(held)).toBe(
      "paused since 2026-11-29 09:59:00 UTC by ana@example.com: vendor maintenance; until somebody says `countersign resume crm`",
    );
    expect(sentence({ ...held, until: UNTIL })).toMatch(
      /; until 2026-11-29 12:00:00 UTC \(in 2 h\), then a few attempts try it$/u,
    );
  });

  test("of a trip that only a person or another configuration ends says so", () => {
    const trip = {
      state: "tripped",
      who: "workers",
      why: "it does not accept our credentials (http_401)",
      since: SINCE,
    } as const;
    expect(sentence(trip)).toMatch(/until somebody says `countersign resume crm` or its configuration changes$/u);
    expect(sentence({ ...trip, until: UNTIL })).not.toContain("configuration");
  });

  test("of a Retry-After does not say that anybody tries it before", () => {
    expect(sentence({ state: "throttled", until: UNTIL, who: "workers", why: "asked", since: SINCE })).toMatch(
      /\(in 2 h\)$/u,
    );
  });

  test("of a probe, a drain, an open one, and one that no worker has taken in yet", () => {
    expect(
      sentence({ state: "tripped", probing: true, who: "workers", why: "1 of 2 probes succeeded", since: SINCE }),
    ).toBe("a few attempts try it since 2026-11-29 09:59:00 UTC by workers: 1 of 2 probes succeeded");
    expect(sentence({ ramping: true })).toBe("open; what waits drains at a rising rate");
    expect(sentence({})).toBe("open");
    expect(sentence({ state: "paused" })).toBe("paused; until somebody says `countersign resume crm`");
  });

  test("lets no text from outside steer a terminal", () => {
    expect(sentence({ state: "paused", who: "a\u001b[2J", why: "b\nc" })).toContain("by a?[2J: b?c");
  });
});

test("each kind of gate has its color", () => {
  const colors = picocolors.createColors(true);
  const colored = (gate: Partial<EndpointDetail["gate"]>) => colorGate("x", anEndpoint({ gate }).gate, colors);
  expect(colored({})).toBe(colors.green("x"));
  expect(colored({ state: "paused" })).toBe(colors.yellow("x"));
  expect(colored({ state: "throttled" })).toBe(colors.yellow("x"));
  expect(colored({ state: "tripped" })).toBe(colors.red("x"));
  expect(colored({ state: "tripped", probing: true })).toBe(colors.cyan("x"));
  expect(colored({ ramping: true })).toBe(colors.cyan("x"));
});
