/** Input and words of people, whose `v` says which version of this contract they speak. */
import { patched } from "@temporalio/workflow";
import { isKnownVersion, membersOf } from "../delivery/message-members.ts";

const VERSIONS_READ = "versions-read";

/** As it came. Runs of before took whatever it said for version 1; that is asked only where it makes a difference. */
export function understood(said: unknown): unknown {
  const members = membersOf(said);
  if (isKnownVersion(members) || patched(VERSIONS_READ)) return said;
  const { v: _other, ...rest } = members;
  return rest;
}
