/** The schema of one route, its approval included. */
import { accept, listOf, strictShape } from "./accept.ts";
import { duration } from "./duration.ts";
import { flag, oneOf, text, whole } from "./scalars.ts";
import { when } from "./when.ts";

const interval = duration("a duration of at least 1 s, such as '24h'", { minMs: 1000 });
const people = listOf("a list of people and groups", text("a person, or a group such as 'group:finance'", 200), {
  min: 1,
});

const approval = strictShape("an object", {
  when: when.optional(),
  approvers: people,
  quorum: whole(1, 100).optional(),
  rejections: whole(1, 100).optional(),
  fourEyes: flag.optional(),
  requireRequester: flag.optional(),
  requireSignedDecisions: flag.optional(),
  expires: interval.optional(),
  remind: listOf("a list of durations such as '4h'", interval).optional(),
  onExpire: oneOf(["end", "park"]).optional(),
  escalate: strictShape("an object", { after: interval, to: people }).optional(),
  notify: text("the name of an endpoint", 63).optional(),
  version: accept("a number or a text that you raise", (value) =>
    typeof value === "number" || (typeof value === "string" && value !== "") ? value : undefined,
  ).optional(),
});

const match = strictShape("an object", {
  source: text("the name or an alias of a source").optional(),
  type: text("an event type, with * for any run of characters", 255).optional(),
  when: when.optional(),
});

export const routeSchema = strictShape("an object", {
  match: match.optional(),
  to: listOf("a list of at least one endpoint", text("the name of an endpoint"), { min: 1 }),
  approval: approval.optional(),
});
