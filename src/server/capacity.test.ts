import { describe, expect, test } from "vitest";
import { createCapacity } from "./capacity.ts";
import { DEFAULT_LIMITS } from "./limits.ts";

const aCapacity = () => createCapacity({ ...DEFAULT_LIMITS, maxInFlight: 2, maxBufferedBytes: 100 });

describe("room for bytes", () => {
  test("is taken up to the bound, and given back", () => {
    const capacity = aCapacity();
    expect([capacity.take(60, "key"), capacity.take(41, "key"), capacity.take(40, "key")]).toEqual([true, false, true]);
    capacity.give(60, "key");
    expect([capacity.buffered(), capacity.take(60, "key")]).toEqual([40, true]);
  });

  test("is half as large for strangers, who cannot take what producers need", () => {
    const capacity = aCapacity();
    expect([capacity.take(50, "stranger"), capacity.take(1, "stranger"), capacity.take(50, "key")]).toEqual([
      true,
      false,
      true,
    ]);
    capacity.give(50, "stranger");
    expect([capacity.take(51, "stranger"), capacity.take(50, "stranger"), capacity.buffered()]).toEqual([
      false,
      true,
      100,
    ]);
  });
});

test("places on the way to Temporal are as many as there are, and idle is who has none and no request", () => {
  const capacity = aCapacity();
  expect([capacity.enter(), capacity.enter(), capacity.enter()]).toEqual([true, true, false]);
  const end = capacity.begin();
  capacity.leave();
  capacity.leave();
  expect([capacity.inFlight(), capacity.isIdle()]).toEqual([0, false]);
  end();
  expect([capacity.enter(), capacity.isIdle()]).toEqual([true, false]);
  capacity.leave();
  expect(capacity.isIdle()).toBe(true);
});
