/** Whether everybody in `people` is one person: no name and no key stands for two. */
import { samePerson } from "../delivery/ballots.ts";
import { visibleTextProblem } from "../delivery/visible-text.ts";
import { isGroup } from "./approvers.ts";
import { foundProblem, type Problem } from "./problem.ts";
import type { CheckedConfig } from "./schema.ts";

/** What a decision keeps of its author's name. */
const MAX_NAME_BYTES = 200;

export function checkPeople({ people }: CheckedConfig): readonly Problem[] {
  return [...checkNames(Object.keys(people)), ...checkPublicKeys(people)];
}

/** Names are compared leniently here: one person under two spellings must not count twice. */
function checkNames(names: readonly string[]): readonly Problem[] {
  return names.flatMap((name, index) => {
    const path = ["people", name];
    const problem = nameProblem(name);
    if (problem !== null) return [{ path, text: problem }];
    const twin = names.slice(0, index).find((other) => samePerson(other, name));
    if (twin === undefined) return [];
    const text = `is the same person as ${JSON.stringify(twin)}; upper and lower case and the way accents are written do not count`;
    return [{ path, text }];
  });
}

function nameProblem(name: string): string | null {
  if (isGroup(name)) return "starts with group:, which stands for the members of a group; accepted: any other name";
  const problem = visibleTextProblem(name, { max: MAX_NAME_BYTES, unit: "bytes" });
  return problem === null ? null : `${problem}; accepted: a name of 1 to ${MAX_NAME_BYTES} bytes of visible text`;
}

function checkPublicKeys(people: CheckedConfig["people"]): readonly Problem[] {
  const owners = new Map<string, string>();
  return Object.entries(people).flatMap(([name, { publicKey }]) => {
    if (publicKey === undefined) return [];
    const owner = owners.get(publicKey);
    if (owner === undefined) owners.set(publicKey, name);
    return owner === undefined
      ? []
      : [
          foundProblem(
            ["people", name, "publicKey"],
            publicKey,
            `a key of their own, not that of ${JSON.stringify(owner)}`,
          ),
        ];
  });
}
