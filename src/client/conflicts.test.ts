import { defaultPayloadConverter, type Payload } from "@temporalio/common";
import { describe, expect, test } from "vitest";
import type { ConflictRecord } from "../delivery/event-state.ts";
import { conflictWorkflowId } from "../delivery/names.ts";
import { CONFLICT_MEMO } from "../workflows/messages.ts";
import { conflictsIfKnown, conflictsOf } from "./conflicts.ts";
import type { Session } from "./session.ts";

const KEY = "shop/evt_1";
const fingerprint = (digit: string): string => `sha256:${digit.repeat(64)}`;
const RECORD: ConflictRecord = { at: "2026-11-29T10:00:00.000Z", fingerprint: fingerprint("a"), via: "cli" };

interface Row {
  readonly execution: { readonly workflowId: string };
  readonly memo?: { readonly fields: Readonly<Record<string, Payload>> };
}

function aRow(record: unknown, workflowId = conflictWorkflowId(KEY, RECORD.fingerprint)): Row {
  const payload = defaultPayloadConverter.toPayload(record);
  return { execution: { workflowId }, memo: { fields: { [CONFLICT_MEMO]: payload } } };
}

/** As much of a session as this list needs; one page per list of rows. */
function aSession(pages: readonly (readonly Row[])[]): Session {
  const listWorkflowExecutions = ({ nextPageToken }: { readonly nextPageToken: Uint8Array }) => {
    const page = nextPageToken[0] ?? 0;
    const next = page + 1 < pages.length ? Uint8Array.of(page + 1) : new Uint8Array();
    return Promise.resolve({ executions: pages[page], nextPageToken: next });
  };
  return aSessionWhose(listWorkflowExecutions);
}

function aSessionWhose(listWorkflowExecutions: unknown): Session {
  const loadedDataConverter = { payloadCodecs: [], payloadConverter: defaultPayloadConverter };
  const options = { namespace: "default", loadedDataConverter };
  const withDeadline = async <Result>(_deadlineMs: number, call: () => Promise<Result>) => await call();
  return { client: { options, withDeadline, workflowService: { listWorkflowExecutions } } } as unknown as Session;
}

describe("conflictsOf", () => {
  test("reads every page, oldest first, and no more than a record holds", async () => {
    const later = { ...RECORD, at: "2026-11-29T11:00:00Z", fingerprint: fingerprint("b"), via: "http" } as const;
    const pages = [[aRow({ ...later, extra: 1 }, conflictWorkflowId(KEY, later.fingerprint))], [aRow(RECORD)]];
    expect(await conflictsOf(aSession(pages), KEY)).toEqual([RECORD, later]);
  });

  test.each<[string, unknown]>([
    ["a stranger's origin", { ...RECORD, via: "\u001b[2J" }],
    ["a fingerprint that is none", { ...RECORD, fingerprint: "sha256:a" }],
    ["a fingerprint with more behind it", { ...RECORD, fingerprint: `${RECORD.fingerprint}\n` }],
    ["the fingerprint of another run", { ...RECORD, fingerprint: fingerprint("b") }],
    ["a number for a fingerprint", { ...RECORD, fingerprint: 1 }],
    ["a time that is none", { ...RECORD, at: "2026-13-29T10:00:00Z" }],
    ["a day alone", { ...RECORD, at: "2026-11-29" }],
    ["a number for a time", { ...RECORD, at: 1 }],
    ["no record", null],
    ["a list", []],
    ["a text", "conflict"],
  ])("passes over %s", async (_what, record) => {
    expect(await conflictsOf(aSession([[aRow(record), aRow(RECORD)]]), KEY)).toEqual([RECORD]);
  });

  test("passes over runs of another key, without a memo, and with one that nobody here can decode", async () => {
    const odd: Payload = { metadata: { encoding: Buffer.from("a/b") }, data: Buffer.from("x") };
    const { execution } = aRow(RECORD);
    const rows = [
      aRow(RECORD, `conflict:${KEY}:more:aaaaaaaaaaaaaaaa`),
      { execution },
      { execution, memo: { fields: { [CONFLICT_MEMO]: odd } } },
    ];
    expect(await conflictsOf(aSession([rows]), KEY)).toEqual([]);
  });
});

describe("conflictsIfKnown", () => {
  test("says that they are not known when they cannot be listed", async () => {
    const refusing = aSessionWhose(() => Promise.reject(Object.assign(new Error("down"), { code: 14, details: "" })));
    expect(await conflictsIfKnown(refusing, KEY)).toEqual({ conflicts: [], conflictsUnknown: true });
    expect(await conflictsIfKnown(aSession([[aRow(RECORD)]]), KEY)).toEqual({ conflicts: [RECORD] });
  });
});
