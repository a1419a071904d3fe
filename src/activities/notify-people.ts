/** A notice becomes an event of our own, delivered with the care of any other. */
import { createHash } from "node:crypto";
import type { BusinessEvent } from "../delivery/event.ts";
import { RESERVED_SOURCE } from "../delivery/names.ts";
import { type Notice, NOTICE_TYPE } from "../delivery/notice.ts";
import { BAD_INPUT_TYPES } from "../delivery/bad-input.ts";
import { isCountersignError } from "../errors.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { logFailure } from "./log-failure.ts";

/**
 * The activity body. A notice that can never be accepted, because its endpoint is gone or takes
 * less, is dropped and logged; one that was accepted before, under another time, was told.
 */
export async function notifyPeople(deps: ActivityDependencies, notice: Notice): Promise<void> {
  try {
    await deps.submit(noticeEvent(notice));
  } catch (error) {
    if (!isCountersignError(error)) throw error;
    if (error.code === "conflict") return;
    if (!BAD_INPUT_TYPES.includes(error.code)) throw error;
    logFailure(deps.log, { activity: "notifyPeople", code: error.code, error });
  }
}

/** Its id says what it is about, so that the same notice is the same event. */
export function noticeEvent({ v: _, to, ...notice }: Notice): BusinessEvent {
  const { kind, count, key, endpoint, revision } = notice;
  const about = createHash("sha256")
    .update(JSON.stringify([key, endpoint]))
    .digest("base64url");
  return {
    source: RESERVED_SOURCE,
    id: `approval-${about}-${revision}-${kind}-${count}`,
    type: `${NOTICE_TYPE}${kind}`,
    subject: to,
    data: { ...notice },
  };
}
