import { expect, test } from "vitest";
import { createClockAlarm } from "./clock-alarm.ts";

test("is said once in ten minutes for each endpoint", () => {
  const said: unknown[] = [];
  let nowMs = 0;
  const alarm = createClockAlarm({ warn: (line: unknown) => void said.push(line) }, () => nowMs);
  const crm = { endpoint: "crm", differenceMs: 600_000 };
  alarm(crm);
  alarm(crm);
  alarm({ endpoint: "erp", differenceMs: -600_000 });
  nowMs = 599_999;
  alarm(crm);
  nowMs = 600_000;
  alarm(crm);
  expect(said).toEqual([crm, { endpoint: "erp", differenceMs: -600_000 }, crm]);
});
