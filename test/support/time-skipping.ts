/** The time-skipping test server, found like every other binary; for waits of hours and days. */
import { TestWorkflowEnvironment } from "@temporalio/testing";
import { findBinary } from "../../src/temporal/binary.ts";
import { TIME_SKIPPING_SERVER } from "../../src/temporal/binary-spec.ts";

/** Starts one; the caller tears it down. It knows no lists, no queue configuration and no state transitions. */
export async function startTimeSkipping(): Promise<TestWorkflowEnvironment> {
  const path = await findBinary(TIME_SKIPPING_SERVER, { environment: process.env });
  return TestWorkflowEnvironment.createTimeSkipping({ server: { executable: { type: "existing-path", path } } });
}
