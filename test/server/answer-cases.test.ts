/** Answers that have broken other senders, over the wire: public reports of each stand with the cases they come from. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SECOND_MS } from "../../src/delivery/durations.ts";
import type { DestinationRequest, ScriptedAnswer } from "../support/destination.ts";
import { exactState, openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";

let stage: Stage;

/** In two to three seconds by a clock that is off by so much, in one of the three forms of RFC 9110 §5.6.7. */
function asksByDate(form: (moment: Date) => string, offMs: number): (request: DestinationRequest) => ScriptedAnswer {
  return ({ nth }) => {
    if (nth > 1) return {};
    const theirs = Date.now() + offMs;
    const headers = {
      date: new Date(theirs).toUTCString(),
      "retry-after": form(new Date(theirs + 3 * SECOND_MS)),
    };
    return { status: 503, headers };
  };
}

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

function rfc850(moment: Date): string {
  const [, day = "", month = "", year = "", time = ""] = moment.toUTCString().split(" ");
  return `${DAYS[moment.getUTCDay()]}, ${day}-${month}-${year.slice(2)} ${time} GMT`;
}

function asctime(moment: Date): string {
  const [weekday = "", day = "", month = "", year = "", time = ""] = moment.toUTCString().split(" ");
  return `${weekday.slice(0, 3)} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`;
}

beforeAll(async () => {
  const quick = { retry: { schedule: ["1s"], jitter: 0 } } as const;
  stage = await openStage({
    endpoints: {
      ahead: quick,
      behind: quick,
      asctime: quick,
      zeros: { retry: { schedule: ["1s", "1s", "2s", "2s", "3s"], jitter: 0 } },
      chatty: {},
    },
    scripts: {
      // elizaOS/eliza#22162 and others: a date read as a number is NaN, and the retry comes at once.
      ahead: asksByDate((moment) => moment.toUTCString(), 90 * SECOND_MS),
      behind: asksByDate(rfc850, -90 * SECOND_MS),
      asctime: asksByDate(asctime, 0),
      // kubescape/kubevuln#754: zero replaced the backoff; 25,216 requests in two seconds.
      zeros: ({ nth }) => (nth > 5 ? {} : { status: 429, headers: { "retry-after": "0" } }),
      // hookdeck/outpost#975: the record of a large answer failed, and a delivered event was sent for ever.
      chatty: [{ body: "x".repeat(300_000) }],
    },
  });
});

afterAll(async () => await stage.close());

async function outcomeOf(type: string) {
  const { key } = await stage.far.submit({ source: "shop", id: uniqueName(type), type, data: {} });
  await stage.far.settled(key, { timeout: "50s" });
  const [delivery] = (await exactState(stage, key)).deliveries;
  const requests = stage.destination.requestsOf(delivery?.idempotencyKey ?? "");
  const gapsMs = requests.slice(1).map(({ atMs }, index) => atMs - (requests[index]?.atMs ?? 0));
  return { delivery, requests, gapsMs };
}

describe.concurrent("an answer", () => {
  test.each(["ahead", "behind", "asctime"])("that names a date by its own clock is waited for: %s", async (type) => {
    const { delivery, gapsMs } = await outcomeOf(type);
    expect(delivery).toMatchObject({ state: "delivered", attemptCount: 2 });
    // Dates have whole seconds.
    expect(delivery?.attempts[0]?.retryAfterMs).toBeGreaterThanOrEqual(2 * SECOND_MS);
    expect(gapsMs[0]).toBeGreaterThanOrEqual(2 * SECOND_MS);
    expect(gapsMs[0]).toBeLessThan(20 * SECOND_MS);
  });

  test("that asks for no wait, five times in a row, never gets less than the policy's own", async () => {
    const { delivery, gapsMs } = await outcomeOf("zeros");
    expect(delivery).toMatchObject({ state: "delivered", attemptCount: 6 });
    for (const [index, leastMs] of [1000, 1000, 2000, 2000, 3000].entries())
      expect(gapsMs[index]).toBeGreaterThanOrEqual(leastMs);
  });

  test("of 300,000 bytes is a delivery like any other: one request", async () => {
    const { delivery, requests } = await outcomeOf("chatty");
    expect(delivery).toMatchObject({ state: "delivered", attemptCount: 1, lastCode: "http_200" });
    expect(requests).toHaveLength(1);
  });
});
