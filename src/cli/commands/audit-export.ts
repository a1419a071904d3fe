/** `audit export`: the records of many events as hash-chained JSON Lines. */
import { counted } from "../../delivery/counted.ts";
import { type ChainSource, type ChainSummary, writeChain } from "../../audit/write-chain.ts";
import type { Countersign } from "../../client/countersign.ts";
import type { ListFilter } from "../../client/list-events.ts";
import { LISTED_STATES } from "../../client/listed-state.ts";
import { type AuditedKeys, listAuditedKeys, readAudits, sortedKeys } from "../../client/read-audit.ts";
import { CountersignError } from "../../errors.ts";
import { readConnectionProfile } from "../../temporal/connection-profile.ts";
import { VERSION } from "../../version.ts";
import { withLineSink } from "./audit-file.ts";
import type { CliContext } from "../context.ts";
import { requireKey } from "../require-key.ts";
import { shellWord } from "../safe-text.ts";
import { withSpinner } from "../spinner.ts";
import { withClient } from "../with-client.ts";

export interface AuditExportCommand {
  readonly state?: string;
  readonly type?: string;
  readonly source?: string;
  readonly endpoint?: string;
  readonly limit?: number;
  /** Absent = standard output. */
  readonly out?: string;
}

/** What to export: events by name, or what a list gives. */
export interface Wanted {
  /** Empty = what the list gives. */
  readonly keys: readonly string[];
  readonly filter: ListFilter;
  readonly limit: number | null;
}

export async function auditExport(
  context: CliContext,
  keys: readonly string[],
  options: AuditExportCommand,
): Promise<number> {
  const wanted = wantedOf(keys, options);
  const { terminal } = context;
  const summary = await withLineSink(context, options.out, async (write) =>
    withClient(context, async (countersign, config) => {
      const { namespace } = readConnectionProfile({ temporal: config.temporal, environment: context.environment });
      const work = async () => await writeChain(await sourceOf(countersign, wanted, namespace), write);
      // Lines and a spinner on one terminal would be in each other's way.
      return await (options.out === undefined ? work() : withSpinner(terminal, "Exporting", work));
    }),
  );
  if (context.json) terminal.note(JSON.stringify(summary));
  else for (const line of summaryLines(summary, options.out)) terminal.note(line);
  return 0;
}

/** Throws `bad_argument` before anything is asked. */
function wantedOf(keys: readonly string[], options: AuditExportCommand): Wanted {
  const { state, endpoint, source, type, limit } = options;
  const listed = LISTED_STATES.find((candidate) => candidate === state);
  if (state !== undefined && listed === undefined) {
    const accepted = LISTED_STATES.join(", ");
    throw new CountersignError("bad_argument", `--state takes one of ${accepted}; not ${JSON.stringify(state)}.`);
  }
  const filter: ListFilter = {
    ...(listed === undefined ? {} : { state: listed }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(source === undefined ? {} : { source }),
    ...(type === undefined ? {} : { type }),
  };
  for (const key of keys) requireKey(key);
  if (keys.length > 0 && (limit !== undefined || Object.keys(filter).length > 0)) {
    throw new CountersignError(
      "bad_argument",
      "KEY and --state, --type, --source, --endpoint or --limit are given both; accepted is one of them.",
    );
  }
  return { keys, filter, limit: limit ?? null };
}

/** The head says what was asked for, so that a file tells what it can be expected to hold. */
export async function sourceOf(
  countersign: Pick<Countersign, "get" | "list">,
  { keys, filter, limit }: Wanted,
  namespace: string,
): Promise<ChainSource> {
  const isNamed = keys.length > 0;
  const found: AuditedKeys = isNamed
    ? { keys: sortedKeys(keys), partial: false }
    : await listAuditedKeys(countersign, filter, limit);
  const selection = {
    ...filter,
    ...(isNamed ? { keys: found.keys.length } : {}),
    ...(limit === null ? {} : { limit }),
  };
  return {
    head: { namespace, exportedAt: new Date().toISOString(), by: `countersign/${VERSION}`, ...selection },
    events: readAudits(countersign, { keys: found.keys, origin: isNamed ? "named" : "listed" }),
    partial: found.partial,
  };
}

/** Beside the export, on standard error. */
export function summaryLines(summary: ChainSummary, out: string | undefined): readonly string[] {
  const { records, events, leftOut, partial, head } = summary;
  const where = out === undefined ? "" : ` in ${shellWord(out)}`;
  return [
    `${counted(records, "record")} of ${counted(events, "event")}${where}.`,
    ...(partial ? ["There are more events than --limit let in: the first ones of `countersign list` were taken."] : []),
    ...(leftOut === 0 ? [] : [`${counted(leftOut, "event")} left out: listed, but gone or no event when read.`]),
    `Head hash: ${head}`,
    `Keep it elsewhere: \`countersign audit verify ${out === undefined ? "FILE" : shellWord(out)} --head ${head}\` then tells this file from a rewritten one.`,
  ];
}
