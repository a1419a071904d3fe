/**
 * `worker-process.ts` in a process whose clock is wrong. Argument: `ClockOffOrder` as JSON. A line on SIGUSR2 sets it anew:
 * `Date` alone is moved, as a set clock moves it; monotonic time, timers and the server's clock are what they are.
 */
import type { WorkerOrder } from "./worker-process.ts";

export interface ClockOffOrder extends WorkerOrder {
  /** Ahead of the right time by so much at first, milliseconds … */
  readonly offMs: number;
  /** … and by so much after SIGUSR2. */
  readonly thenMs: number;
}

const order = JSON.parse(process.argv[2] ?? "") as ClockOffOrder; // written by `startChild`
const RightDate = Date;
let offMs = order.offMs;

globalThis.Date = new Proxy(RightDate, {
  construct(target, args: readonly unknown[], newTarget) {
    const given = args.length === 0 ? [target.now() + offMs] : args;
    // Whatever `new Date` takes is handed on.
    return Reflect.construct(target, given, newTarget) as object;
  },
  get: (target, name, receiver) =>
    name === "now" ? () => target.now() + offMs : (Reflect.get(target, name, receiver) as unknown),
});
process.on("SIGUSR2", () => {
  offMs = order.thenMs;
});

await import("./worker-process.ts");
