import type { Client } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { createConnections } from "./connections.ts";

function connections(max: number) {
  const created = createConnections({ origin: "http://receiver.example", max, connect: () => undefined });
  onTestFinished(created.close);
  return created;
}

describe("createConnections", () => {
  test("hands out at most so many, the rest first come first served", () => {
    const { lease } = connections(2);
    const order: number[] = [];
    const leases = [1, 2, 3, 4].map((n) => lease(() => order.push(n)));
    expect(order).toEqual([1, 2]);
    leases[1]?.release("keep");
    leases[0]?.release("discard");
    expect(order).toEqual([1, 2, 3, 4]);
  });

  test("uses a kept connection again and never a discarded one", () => {
    const { lease } = connections(1);
    const seen: Client[] = [];
    for (const what of ["keep", "discard", "keep"] as const) lease((client) => seen.push(client)).release(what);
    expect(seen[1]).toBe(seen[0]);
    expect(seen[2]).not.toBe(seen[0]);
    expect(seen[0]?.destroyed).toBe(true);
  });

  test("takes back a place in the queue", () => {
    const { lease } = connections(1);
    const order: number[] = [];
    const [first, second] = [1, 2, 3].map((n) => lease(() => order.push(n)));
    second?.release("discard");
    first?.release("keep");
    expect(order).toEqual([1, 3]);
  });

  test("counts a lease that is released twice once", () => {
    const { lease } = connections(1);
    const order: number[] = [];
    const first = lease(() => order.push(1));
    first.release("keep");
    first.release("keep");
    lease(() => order.push(2));
    lease(() => order.push(3));
    expect(order).toEqual([1, 2]);
  });

  test("destroys what it kept when closed", async () => {
    const { lease, close } = connections(1);
    const seen: Client[] = [];
    lease((client) => seen.push(client)).release("keep");
    await close();
    expect(seen.map((client) => client.destroyed)).toEqual([true]);
  });
});
