import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import { takeSignals, untilAborted } from "./signals.ts";

class AProcess extends EventEmitter {
  readonly exits: number[] = [];
  exit(code: number): void {
    this.exits.push(code);
  }
}

describe("takeSignals", () => {
  test("asks to stop at the first signal and leaves at the second", async () => {
    const source = new AProcess();
    const { signal } = takeSignals(source);
    source.emit("SIGTERM");
    await untilAborted(signal);
    expect(source.exits).toEqual([]);
    source.emit("SIGINT");
    expect(source.exits).toEqual([130]);
  });

  test("ends with the number of the second signal", () => {
    const source = new AProcess();
    takeSignals(source);
    source.emit("SIGINT");
    source.emit("SIGTERM");
    expect(source.exits).toEqual([143]);
  });

  test("gives the signals back", () => {
    const source = new AProcess();
    takeSignals(source).release();
    expect(source.listenerCount("SIGINT") + source.listenerCount("SIGTERM")).toBe(0);
  });
});

test("untilAborted resolves also for what was aborted before", async () => {
  await expect(untilAborted(AbortSignal.abort())).resolves.toBeUndefined();
});
