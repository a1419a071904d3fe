import { expect, test } from "vitest";
import { startTimeSkipping } from "../support/time-skipping.ts";

const WEEK_MS = 7 * 24 * 60 * 60_000;

// The first run on a machine may have to fetch the server.
test("the time-skipping server is found and lets a week pass at once", async () => {
  const environment = await startTimeSkipping();
  try {
    const before = await environment.currentTimeMs();
    await environment.sleep(WEEK_MS);
    expect((await environment.currentTimeMs()) - before).toBeGreaterThanOrEqual(WEEK_MS);
  } finally {
    await environment.teardown();
  }
}, 180_000);
