/** A machine that has too much to do for a while is seldom what a scenario examines. */
import { grpcFailure } from "../../src/temporal/grpc-status.ts";
import { until } from "./until.ts";

const WITHIN_MS = 300_000;

/** Asks again for as long as Temporal is too busy to answer in time; any other error stays what it is. */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  const { answer } = await until(
    "Temporal answers",
    async () =>
      await ask().then(
        (given) => ({ answer: given }),
        (error: unknown) => {
          if (!BUSY.has(grpcFailure(error)?.status ?? Number.NaN)) throw error;
          return null;
        },
      ),
    { withinMs: WITHIN_MS },
  );
  return answer;
}

/** CANCELLED is how the client library reads a stream that the server has reset at its deadline. */
const [CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE] = [1, 4, 8, 14];
const BUSY: ReadonlySet<number> = new Set([CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE]);
