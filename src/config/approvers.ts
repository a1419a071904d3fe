/** Who is meant by a list of approvers: people by name, and the members of groups. */
import type { Person } from "./config.ts";

const GROUP_PREFIX = "group:";

/** A name of `people` with this prefix would be taken for a group, so there is none. */
export function isGroup(approver: string): boolean {
  return approver.startsWith(GROUP_PREFIX);
}

/** Whether the list means this person. */
export function includesPerson(
  approvers: readonly string[],
  { name, groups }: { readonly name: string; readonly groups: Person["groups"] },
): boolean {
  return approvers.includes(name) || groups.some((group) => approvers.includes(`${GROUP_PREFIX}${group}`));
}

/** The names of everybody the list means, each once. */
export function peopleAmong<Somebody extends Pick<Person, "groups">>(
  people: Readonly<Record<string, Somebody>>,
  approvers: readonly string[],
): readonly string[] {
  return Object.entries(people).flatMap(([name, { groups }]) =>
    includesPerson(approvers, { name, groups }) ? [name] : [],
  );
}
