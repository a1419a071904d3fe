/** Floods of reports: the workflow of an endpoint stays small, and loses nothing that matters. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendReport, readEndpointRun } from "../../src/client/endpoint-run.ts";
import type { Session } from "../../src/client/session.ts";
import { DEFAULT_CIRCUIT } from "../../src/delivery/gates/circuit.ts";
import type { TroubleReport } from "../../src/delivery/gates/control-facts.ts";
import { endpointWorkflowId } from "../../src/delivery/names.ts";
import { createReportQueue, type ReportQueue } from "../../src/worker/report-queue.ts";
import { createTroubleReporter, type TroubleReporter } from "../../src/worker/trouble-reporter.ts";
import { aSession } from "../support/a-session.ts";
import { anAttempt } from "../support/deliveries.ts";
import { ownEndpoint } from "../support/endpoint-stage.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { until } from "../support/until.ts";

let stage: Stage;
let session: Session;
const flooded = ownEndpoint("flooded");
const busy = ownEndpoint("busy");

beforeAll(async () => {
  stage = await openStage({ endpoints: { [flooded]: {}, [busy]: {} } });
  session = aSession(stage.temporal, stage.config);
});

afterAll(async () => await stage.close());

interface Runs {
  readonly lengths: readonly number[];
}

async function runsOf(endpoint: string, atLeast: number): Promise<Runs> {
  return await until("visibility knows the runs", async () => {
    const lengths: number[] = [];
    const query = `WorkflowId = '${endpointWorkflowId(endpoint)}'`;
    for await (const { workflowId, runId } of stage.temporal.workflow.list({ query })) {
      const { historyLength } = await stage.temporal.workflow.getHandle(workflowId, runId).describe();
      lengths.push(historyLength);
    }
    return lengths.length >= atLeast && { lengths };
  });
}

interface Reporting {
  readonly reporter: TroubleReporter;
  readonly queue: ReportQueue;
}

/** A process's reporter, without its deliveries. */
function aReporter(worker: string): Reporting {
  const queue = createReportQueue({
    worker,
    send: async (endpoint, report, updateId) => await sendReport(session, endpoint, { report, updateId }),
    answered: () => undefined,
    lost(address, error) {
      throw new Error(`The report of ${address.endpoint} was lost`, { cause: error });
    },
  });
  const reporter = createTroubleReporter({
    worker,
    queue,
    gates: { closeForTrip: () => undefined, closeForThrottle: () => true },
    endpoint: () => ({ circuit: DEFAULT_CIRCUIT, retryAfterScope: "endpoint" }),
    versionOf: () => "v1",
    gate: () => null,
    holdLane: async () => await Promise.resolve(),
    now: () => performance.now(),
  });
  return { reporter, queue };
}

describe("4,000 failures in ten seconds from four processes", () => {
  test("trip the endpoint once, in one short run", async () => {
    const processes = ["w1", "w2", "w3", "w4"].map(aReporter);
    for (let tenth = 0; tenth < 100; tenth += 1) {
      for (const { reporter } of processes) {
        for (let nth = 0; nth < 10; nth += 1) {
          const attempt = { endpoint: flooded, round: null, counts: true, retryAfterMaxMs: 1000 };
          reporter.begin(attempt).end(anAttempt({ outcome: "retry", status: 503, code: "http_503" }));
        }
      }
      await pause(100);
    }
    await Promise.all(processes.map(async ({ queue }) => await queue.stop()));
    const { control } = await readEndpointRun(session, flooded);
    expect(control?.ledger.map(({ what }) => what)).toEqual(["tripped"]);
    expect(control?.trip).toMatchObject({ because: "failures" });
    const { lengths } = await runsOf(flooded, 1);
    expect(lengths).toHaveLength(1);
    expect(Math.max(...lengths)).toBeLessThan(1500);
  });
});

describe("reports without end", () => {
  const report = (changes: Partial<TroubleReport>): TroubleReport =>
    ({
      worker: "w1",
      configVersion: "v1",
      circuit: DEFAULT_CIRCUIT,
      lastCode: "http_503",
      kind: "failures",
      failures: 1,
      successes: 3,
      trailingFailures: 0,
      ...changes,
    }) as TroubleReport;

  test("are spread over runs that continue as new, and the trip that comes in between is not lost", async () => {
    const say = async (nth: number): Promise<void> => {
      const said = report(nth === 437 ? { kind: "credentials-refused" } : {});
      await until(
        "it is taken in",
        async () =>
          await sendReport(session, busy, { report: said, updateId: `w1:${nth}` }).then(
            () => true,
            // A run that continues as new refuses what it has not accepted.
            () => false,
          ),
      );
    };
    const numbers = Array.from({ length: 700 }, (_, index) => index);
    await Promise.all(
      [0, 1, 2, 3].map(async (lane) => {
        for (const nth of numbers) if (nth % 4 === lane) await say(nth);
      }),
    );
    const { control } = await readEndpointRun(session, busy);
    expect(control?.ledger.map(({ what }) => what)).toEqual(["tripped"]);
    expect(control?.trip).toMatchObject({ because: "credentials-refused" });
    const { lengths } = await runsOf(busy, 2);
    expect(Math.max(...lengths)).toBeLessThan(1500);
  });
});
