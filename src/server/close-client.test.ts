import { describe, expect, test } from "vitest";
import { createCapacity } from "./capacity.ts";
import { closeClient } from "./close-client.ts";
import { DEFAULT_LIMITS } from "./limits.ts";

function aClient() {
  const closed: string[] = [];
  return { closed, close: async () => await Promise.resolve(void closed.push("closed")) };
}

describe("the connection to Temporal", () => {
  test("is closed at once when nothing is under way", async () => {
    const client = aClient();
    await closeClient(client, createCapacity(DEFAULT_LIMITS), 0);
    expect(client.closed).toEqual(["closed"]);
  });

  test("waits for a request whose client has left, and for an event nobody waits for any more", async () => {
    const [client, capacity] = [aClient(), createCapacity(DEFAULT_LIMITS)];
    const end = capacity.begin();
    capacity.enter();
    const closing = closeClient(client, capacity, 60_000);
    end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(client.closed).toEqual([]);
    capacity.leave();
    await closing;
    expect(client.closed).toEqual(["closed"]);
  });

  test("is left to the end of the process when a call takes longer than it may", async () => {
    const [client, capacity] = [aClient(), createCapacity(DEFAULT_LIMITS)];
    capacity.enter();
    await closeClient(client, capacity, 0);
    expect(client.closed).toEqual([]);
  });
});
