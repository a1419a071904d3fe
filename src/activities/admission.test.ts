import { describe, expect, test } from "vitest";
import { type Admission, createAdmission, limitsFor } from "./admission.ts";

interface Scene {
  readonly admission: Admission;
  readonly clock: { nowMs: number };
}

function aScene(slots = 40, gateOpen: (endpoint: string) => boolean = () => true): Scene {
  const clock = { nowMs: 0 };
  return { admission: createAdmission({ limits: limitsFor(slots), now: () => clock.nowMs, gateOpen }), clock };
}

/** Enters as often as it is let, at most 1,000 times. */
function fill(admission: Admission, endpoint: string, via: "local" | "direct" = "direct"): (() => void)[] {
  const places: (() => void)[] = [];
  for (
    let place = admission.enter(endpoint, via);
    place !== null && places.length < 1000;
    place = admission.enter(endpoint, via)
  ) {
    places.push(() => place?.leave());
  }
  return places;
}

/** One attempt of the endpoint that takes this long. */
function attempt(
  { admission, clock }: Scene,
  endpoint: string,
  tookMs: number,
  via: "local" | "direct" = "local",
): void {
  const place = admission.enter(endpoint, via);
  clock.nowMs += tookMs;
  place?.leave();
}

describe("limitsFor", () => {
  test.each([
    [200, { slots: 200, perEndpoint: 20, slowTogether: 100 }],
    [40, { slots: 40, perEndpoint: 4, slowTogether: 20 }],
    [5, { slots: 5, perEndpoint: 1, slowTogether: 2 }],
    [1, { slots: 1, perEndpoint: 1, slowTogether: 1 }],
  ])("divides %i slots", (slots, limits) => {
    expect(limitsFor(slots)).toEqual(limits);
  });
});

describe("admission", () => {
  test("gives one endpoint at most a tenth, and every place back", () => {
    const { admission } = aScene(40);
    const places = fill(admission, "crm");
    expect(places).toHaveLength(4);
    expect(admission.enter("ledger", "local")).not.toBeNull();
    places[0]?.();
    expect(fill(admission, "crm")).toHaveLength(1);
  });

  test("gives no more than there is altogether", () => {
    const { admission } = aScene(40);
    const endpoints = Array.from({ length: 20 }, (_, index) => `e${index}`);
    const counts = endpoints.map((endpoint) => fill(admission, endpoint).length);
    expect(counts.reduce((sum, count) => sum + count)).toBe(40);
    expect(counts.slice(10)).toEqual(Array.from({ length: 10 }, () => 0));
  });

  test("refuses while the gate is not known to be open", () => {
    const { admission } = aScene(40, (endpoint) => endpoint !== "crm");
    expect(admission.enter("crm", "local")).toBeNull();
    expect(admission.enter("crm", "direct")).toBeNull();
    expect(admission.enter("ledger", "local")).not.toBeNull();
  });

  test("sees an endpoint as slow while an attempt of it is older than two seconds", () => {
    const scene = aScene();
    expect(scene.admission.enter("crm", "local")).not.toBeNull();
    scene.clock.nowMs += 2000;
    expect(scene.admission.enter("crm", "local")).not.toBeNull();
    scene.clock.nowMs += 1;
    expect(scene.admission.enter("crm", "local")).toBeNull();
    expect(scene.admission.enter("crm", "direct")).not.toBeNull();
    expect(scene.admission.enter("ledger", "local")).not.toBeNull();
  });

  test("remembers it as slow until it answers within a second", () => {
    const scene = aScene();
    attempt(scene, "crm", 2001);
    expect(scene.admission.enter("crm", "local")).toBeNull();
    attempt(scene, "crm", 1000, "direct");
    expect(scene.admission.enter("crm", "local")).toBeNull();
    attempt(scene, "crm", 999, "direct");
    expect(scene.admission.enter("crm", "local")).not.toBeNull();
  });

  test("learns from attempts that came by the lane", () => {
    const scene = aScene();
    scene.admission.observe("crm", 2001);
    expect(scene.admission.enter("crm", "local")).toBeNull();
    scene.admission.observe("crm", 1500);
    expect(scene.admission.enter("crm", "local")).toBeNull();
    scene.admission.observe("crm", 999);
    expect(scene.admission.enter("crm", "local")).not.toBeNull();
  });

  test("gives all slow endpoints together at most half", () => {
    const scene = aScene(40);
    const slow = Array.from({ length: 9 }, (_, index) => `slow${index}`);
    for (const endpoint of slow) scene.admission.observe(endpoint, 5000);
    const counts = slow.map((endpoint) => fill(scene.admission, endpoint).length);
    expect(counts).toEqual([4, 4, 4, 4, 4, 0, 0, 0, 0]);
    expect(fill(scene.admission, "quick", "local")).toHaveLength(4);
  });
});
