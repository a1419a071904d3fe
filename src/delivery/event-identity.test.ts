import { describe, expect, test } from "vitest";
import { identityOf } from "./event-identity.ts";

describe("identityOf", () => {
  test("shows the event without its body", () => {
    const event = { source: "shop", id: "a/b c", type: "order.created", data: { card: "4242" }, requestedBy: "ana" };
    expect(identityOf(event)).toEqual({
      key: "shop/a/b c",
      source: "shop",
      id: "a/b c",
      type: "order.created",
      synthetic: false,
    });
  });

  test("takes an event for synthetic only when it says so", () => {
    const event = { source: "shop", id: "1", type: "t" };
    expect(identityOf({ ...event, synthetic: true }).synthetic).toBe(true);
    expect(identityOf({ ...event, synthetic: false }).synthetic).toBe(false);
  });
});
