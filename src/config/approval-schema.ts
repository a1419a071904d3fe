/** The schema of a route's approval. */
import { HOUR_MS, SECOND_MS } from "../delivery/durations.ts";
import { isWellFormed } from "../delivery/visible-text.ts";
import { accept, listOf, strictShape } from "./accept.ts";
import { duration } from "./duration.ts";
import { flag, oneOf, text, whole } from "./scalars.ts";
import { when } from "./when.ts";

const interval = duration("a duration of at least 1 s, such as '24h'", { minMs: SECOND_MS });
const people = listOf("a list of people and groups", text("a person, or a group such as 'group:finance'", 210), {
  min: 1,
});

export const approvalSchema = strictShape("an object", {
  when: when.optional(),
  approvers: people,
  quorum: whole(1, 100).default(1),
  rejections: whole(1, 100).default(1),
  fourEyes: flag.default(false),
  requireRequester: flag.default(false),
  requireSignedDecisions: flag.default(false),
  expires: interval.default(72 * HOUR_MS),
  remind: listOf("a list of durations such as '4h'", interval).default([]),
  onExpire: oneOf(["end", "park"]).default("end"),
  escalate: strictShape("an object", { after: interval, to: people }).optional(),
  notify: text("the name of an endpoint", 63).optional(),
  version: accept("a number or a text that you raise", (value) =>
    isVersionNumber(value) || isVersionText(value) ? value : undefined,
  ).optional(),
});

/** It enters a digest, and NaN has no place in one. */
function isVersionNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isVersionText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 200 && isWellFormed(value);
}
