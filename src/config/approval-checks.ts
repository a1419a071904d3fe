/** Whether each approval can come about: somebody may decide, often enough, and in time. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../delivery/durations.ts";
import { isGroup, peopleAmong } from "./approvers.ts";
import { listNames } from "./names.ts";
import { foundProblem, type Problem } from "./problem.ts";
import type { CheckedApproval, CheckedConfig } from "./schema.ts";

export function checkApprovals(config: CheckedConfig): readonly Problem[] {
  return config.routes.flatMap(({ approval }, index) => {
    if (approval === undefined) return [];
    const path = ["routes", index, "approval"];
    const unknown = checkApprovers(config, approval, path);
    return [
      ...unknown,
      // While a name is wrong, nothing is known of how many people there are.
      ...(unknown.length > 0 ? [] : checkCounts(config, approval, path)),
      ...checkNotify(config, approval, path),
      ...checkTimes(approval, path),
    ];
  });
}

type Path = readonly PropertyKey[];

function checkApprovers({ people }: CheckedConfig, approval: CheckedApproval, path: Path): readonly Problem[] {
  const groups = Object.values(people).flatMap((person) => person.groups.map((group) => `group:${group}`));
  const accepted = listNames("person or group", [...new Set([...Object.keys(people), ...groups])]);
  const lists = [
    { at: [...path, "approvers"], names: approval.approvers },
    { at: [...path, "escalate", "to"], names: approval.escalate?.to ?? [] },
  ];
  return lists.flatMap(({ at, names }) =>
    names.flatMap((name, position) => {
      const isKnown = isGroup(name) ? groups.includes(name) : Object.hasOwn(people, name);
      return isKnown ? [] : [foundProblem([...at, position], name, accepted)];
    }),
  );
}

function checkCounts({ people }: CheckedConfig, approval: CheckedApproval, path: Path): readonly Problem[] {
  const eligible = peopleAmong(people, [...approval.approvers, ...(approval.escalate?.to ?? [])]);
  const signers = eligible.filter((name) => people[name]?.publicKey !== undefined);
  const problems = (["quorum", "rejections"] as const).flatMap((key) =>
    approval[key] <= eligible.length
      ? []
      : [
          foundProblem(
            [...path, key],
            approval[key],
            `at most ${eligible.length}, as that many people may decide here`,
          ),
        ],
  );
  if (!approval.requireSignedDecisions || signers.length >= approval.quorum) return problems;
  const text = `found ${signers.length} with a publicKey among the people who may decide here; accepted: at least ${approval.quorum}, the quorum`;
  return [...problems, { path: [...path, "requireSignedDecisions"], text }];
}

function checkNotify({ endpoints }: CheckedConfig, { notify }: CheckedApproval, path: Path): readonly Problem[] {
  if (notify === undefined || Object.hasOwn(endpoints, notify)) return [];
  return [foundProblem([...path, "notify"], notify, listNames("endpoint", Object.keys(endpoints)))];
}

function checkTimes({ expires, remind, escalate }: CheckedApproval, path: Path): readonly Problem[] {
  const times = [
    ...remind.map((ageMs, position) => ({ at: [...path, "remind", position], ageMs })),
    ...(escalate === undefined ? [] : [{ at: [...path, "escalate", "after"], ageMs: escalate.after }]),
  ];
  const accepted = `a duration shorter than expires, which is '${durationOf(expires)}' here`;
  return times.flatMap(({ at, ageMs }) => (ageMs < expires ? [] : [foundProblem(at, durationOf(ageMs), accepted)]));
}

/** As one would write it: `5m` may have been `300s`. Hours reach as far as the default, `72h`. */
function durationOf(durationMs: number): string {
  if (durationMs > 72 * HOUR_MS && durationMs % DAY_MS === 0) return `${durationMs / DAY_MS}d`;
  if (durationMs % HOUR_MS === 0) return `${durationMs / HOUR_MS}h`;
  if (durationMs % MINUTE_MS === 0) return `${durationMs / MINUTE_MS}m`;
  return durationMs % SECOND_MS === 0 ? `${durationMs / SECOND_MS}s` : `${durationMs}ms`;
}
