/** Every verb there is, in the order in which help shows them. */
import type { Command } from "commander";
import type { Perform } from "./perform.ts";
import { addAuditVerbs } from "./verbs-audit.ts";
import { addBulkReplayVerbs } from "./verbs-bulk-replay.ts";
import { addDecisionVerbs } from "./verbs-decide.ts";
import { addEndpointVerbs } from "./verbs-endpoints.ts";
import { addEventVerbs } from "./verbs-events.ts";
import { addKeyVerbs } from "./verbs-keys.ts";
import { addRunVerbs } from "./verbs-run.ts";
import { addSteeringVerbs } from "./verbs-steer.ts";

export function addVerbs(program: Command, perform: Perform): void {
  addRunVerbs(program, perform);
  addEventVerbs(program, perform);
  addSteeringVerbs(program, perform);
  addDecisionVerbs(program, perform);
  addEndpointVerbs(program, perform);
  addBulkReplayVerbs(program, perform);
  addAuditVerbs(program, perform);
  addKeyVerbs(program, perform);
}
