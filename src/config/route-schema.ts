/** The schema of one route. */
import { listOf, strictShape } from "./accept.ts";
import { approvalSchema } from "./approval-schema.ts";
import { text } from "./scalars.ts";
import { when } from "./when.ts";

const match = strictShape("an object", {
  source: text("the name or an alias of a source").optional(),
  type: text("an event type, with * for any run of characters", 255).optional(),
  when: when.optional(),
});

export const routeSchema = strictShape("an object", {
  match: match.optional(),
  to: listOf("a list of at least one endpoint", text("the name of an endpoint"), { min: 1 }),
  approval: approvalSchema.optional(),
});
