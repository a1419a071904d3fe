/** Entering lanes in the registry without a rush on it. */
import { expect, test } from "vitest";
import { createLaneAnnouncer } from "./lane-announcer.ts";

function aScene() {
  const calls: { readonly endpoint: string; end(error?: Error): void }[] = [];
  const shown = new Set<string>();
  const clock = { nowMs: 0 };
  const announce = createLaneAnnouncer({
    isShown: (endpoint) => shown.has(endpoint),
    enter: async (endpoint) =>
      await new Promise((resolve, reject) => {
        calls.push({ endpoint, end: (error) => (error === undefined ? resolve() : reject(error)) });
      }),
    now: () => clock.nowMs,
  });
  return { announce, calls, shown, clock, endpoints: () => calls.map(({ endpoint }) => endpoint) };
}

test("one call for all who ask while it is under way, and all wait for it", async () => {
  const { announce, calls, endpoints } = aScene();
  let done = 0;
  const asking = ["crm", "crm", "erp", "crm"].map(async (endpoint) => await announce(endpoint).then(() => (done += 1)));
  expect(endpoints()).toEqual(["crm", "erp"]);
  await Promise.resolve();
  expect(done).toBe(0);
  for (const { end } of calls) end();
  await Promise.all(asking);
  expect(done).toBe(4);
});

test("no call where the registry shows it", async () => {
  const { announce, shown, endpoints } = aScene();
  shown.add("crm");
  await announce("crm");
  expect(endpoints()).toEqual([]);
});

test("none until the registry must show it, and then another", async () => {
  const { announce, calls, clock, endpoints } = aScene();
  const first = announce("crm");
  calls[0]?.end();
  await first;
  clock.nowMs = 1999;
  await announce("crm");
  expect(endpoints()).toEqual(["crm"]);
  clock.nowMs = 2000;
  void announce("crm");
  expect(endpoints()).toEqual(["crm", "crm"]);
});

test("another call after one that failed, for all who waited for it", async () => {
  const { announce, calls, endpoints } = aScene();
  const asking = Promise.allSettled([announce("crm"), announce("crm")]);
  calls[0]?.end(new Error("unavailable"));
  expect((await asking).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  void announce("crm");
  expect(endpoints()).toEqual(["crm", "crm"]);
});
