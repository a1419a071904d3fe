import {
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from "@temporalio/client";
import { describe, expect, test } from "vitest";
import { resolveUpdate } from "../workflows/messages.ts";
import { sayWord } from "./say-word.ts";
import type { Session } from "./session.ts";

/** As much of a session as a word needs; the server answers it with this error. */
function said(error: Error) {
  const handle = {
    describe: () => Promise.resolve({ type: "event", runId: "run-1" }),
    executeUpdate: () => Promise.reject(error),
  };
  const withDeadline = async <Result>(_deadlineMs: number, call: () => Promise<Result>) => await call();
  const client = { workflow: { getHandle: () => handle }, withDeadline, options: { namespace: "default" } };
  return sayWord({ client } as unknown as Session, "shop/evt_1", {
    update: resolveUpdate,
    argument: { action: "discard", actor: "ana", reason: "gone" },
    tooLate: async () => await Promise.resolve("executed"),
  });
}

const grpc = (code: number, details: string): ServiceError =>
  new ServiceError("wrapped", { cause: Object.assign(new Error("inner"), { code, details }) });

describe("sayWord", () => {
  test("says after a time-out what may still happen", async () => {
    const late = said(new WorkflowUpdateRPCTimeoutOrCancelledError("late"));
    await expect(late).rejects.toMatchObject({ code: "timeout", message: expect.stringMatching(/takes effect when/) });
    await expect(late).rejects.toThrow("Ask `show` before saying it again");
  });

  test.each<[string, Error, string, string]>([
    ["whose workflow task keeps failing", grpc(9, "workflow task failed"), "timeout", "workflow task failed"],
    ["that let the word go", grpc(10, "aborted"), "timeout", "aborted"],
    ["that knows no updates", new WorkflowUpdateFailedError("x", new Error("no handler")), "timeout", "no handler"],
    ["on a server that is busy", grpc(8, "resource exhausted"), "temporal_unreachable", "resource exhausted"],
    ["on a server with a fault", grpc(13, "internal"), "temporal_unreachable", "Ask `show` before"],
    ["on a server that is gone", grpc(14, "gone"), "temporal_unreachable", "does not answer"],
    ["on a server that lets the call go", grpc(1, "canceled"), "temporal_unreachable", "does not answer"],
  ])("makes an error of ours of a run %s", async (_what, error, code, words) => {
    await expect(said(error)).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
  });

  test("takes a run that ended meanwhile for an answer", async () => {
    const refused = { counted: false, refusedBecause: "executed", at: expect.stringMatching(/^\d{4}-.*Z$/) };
    expect(await said(new WorkflowNotFoundError("x", "shop/evt_1", "run-1"))).toEqual(refused);
    expect(await said(new WorkflowUpdateFailedError("x", new Error("Workflow completed")))).toEqual(refused);
  });
});
