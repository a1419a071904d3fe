/** A notice becomes an event of our own, delivered with the care of any other. */
import { createHash } from "node:crypto";
import type { BusinessEvent } from "../delivery/event.ts";
import { RESERVED_SOURCE } from "../delivery/names.ts";
import { type Notice, NOTICE_TYPE } from "../delivery/notice.ts";
import { isCountersignError } from "../errors.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { logFailure } from "./log-failure.ts";

/** The activity body. A notice nobody can get any more, because the endpoint is gone, is dropped and logged. */
export async function notifyPeople(deps: ActivityDependencies, notice: Notice): Promise<void> {
  try {
    await deps.submit(noticeEvent(notice));
  } catch (error) {
    if (!isCountersignError(error) || error.code !== "no_route") throw error;
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
