/** What docs/approval.md shows is what happens: its example, its recipe, its lists and its figures. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noticeEvent } from "../../src/activities/notify-people.ts";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import { planDelivery } from "../../src/config/plan-delivery.ts";
import type { DecisionRefusal, ProposalDraft } from "../../src/delivery/approval.ts";
import type { BusinessEvent } from "../../src/delivery/event.ts";
import type { Proposal } from "../../src/delivery/event-state.ts";
import type { Notice, NoticeKind } from "../../src/delivery/notice.ts";
import { parseEvent } from "../../src/delivery/parse-event.ts";
import { policyOf } from "../../src/delivery/show-proposal.ts";

type DigestOf = (
  key: string,
  proposal: Pick<Proposal, "revision" | "requestedBy" | "editedBy" | "policy"> & object,
) => string;

type NoticeData = Omit<Notice, "v" | "to">;

const page = await readFile("docs/approval.md", "utf8");
const [DIGEST = ""] = /sha256:[0-9a-f]{64}/.exec(page) ?? [];

let config: Config;
let digestOf: DigestOf;
const folders: string[] = [];

beforeAll(async () => {
  const folder = await aFolder(tmpdir(), "countersign.config.ts", block("ts"));
  config = await loadConfig({ cwd: folder, environment: {} });
  // Below node_modules, so that the recipe finds the package it imports.
  const recipe = join(await aFolder("node_modules", "recipe.mjs", block("js")), "recipe.mjs");
  const module = (await import(pathToFileURL(resolve(recipe)).href)) as { readonly digestOf: DigestOf }; // what the block exports
  ({ digestOf } = module);
});

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

async function aFolder(parent: string, name: string, text: string): Promise<string> {
  const folder = await mkdtemp(join(parent, ".approval-page-"));
  folders.push(folder);
  await writeFile(join(folder, name), text);
  return folder;
}

function block(language: string, position = 0): string {
  const [, text = ""] = [...page.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs"))][position] ?? [];
  return text;
}

function draftIn(loaded: Config, event: BusinessEvent, endpoint: string): ProposalDraft {
  const planned = planDelivery(loaded, {
    event,
    endpoint,
    amendment: null,
    resolvedUrl: "http://127.0.0.1:9000/refunds",
    revision: 1,
  });
  if (planned.kind === "planned" && planned.draft !== null) return planned.draft;
  throw new TypeError("No approval is due");
}

/** As `get` shows it, as far as the recipe reads it. */
function shown({ revision, requestedBy, action, terms }: ProposalDraft, body: object) {
  return { revision, requestedBy, editedBy: null, action: { ...action, ...body }, policy: policyOf(terms.rules) };
}

test("the example on the page asks for the approval it shows", () => {
  const { digest, action, terms } = draftIn(config, parseEvent(JSON.parse(block("json"))), "payments");
  expect(digest).toBe(DIGEST);
  expect(page).toContain(`(configuration ${action.configVersion.slice(7, 19)})`);
  expect(page).toContain(`--digest ${DIGEST.slice(7, 19)} `);
  expect(new Set(page.match(/sha256:[0-9a-f]{64}/g))).toEqual(new Set([DIGEST]));
  expect(terms).toMatchObject({ onExpire: "park", notify: "chat", rules: [{ quorum: 2, fourEyes: true }] });
});

test("the recipe on the page gives the digest of the example, and of bytes under several rules", () => {
  const event = parseEvent(JSON.parse(block("json")));
  const key = `${event.source}/${event.id}`;
  const body = { body: ' {"currency":"EUR","amount":9e2, "order":"o_1"}' };
  expect(digestOf(key, shown(draftIn(config, event, "payments"), body))).toBe(DIGEST);

  const several = parseConfig(
    {
      sources: { shop: {} },
      endpoints: { crm: { url: "http://127.0.0.1:9000/refunds", allowPrivate: ["127.0.0.0/8"] } },
      people: { zoe: { groups: ["b"] }, ana: { groups: ["a"] } },
      routes: [
        { to: ["crm"], approval: { approvers: ["zoe", "ana"], version: 2 } },
        { to: ["crm"], approval: { approvers: ["group:b"], escalate: { after: "1h", to: ["zoe", "group:a"] } } },
      ],
    },
    { path: null },
  );
  const text: BusinessEvent = { source: "shop", id: "1", type: "t", datacontenttype: "text/plain", data: "hé" };
  const draft = draftIn(several, text, "crm");
  expect(digestOf("shop/1", shown(draft, { body: "hé" }))).toBe(draft.digest);
  expect(digestOf("shop/1", shown(draft, { body: "he" }))).not.toBe(draft.digest);
});

test("the rules begin with every reason why a decision does not count, in the order in which they are looked for", () => {
  // The compiler holds this to the closed set; the order is that of `delivery/ballots.ts`.
  const refusals: Readonly<Record<DecisionRefusal, true>> = {
    "nothing-waits": true,
    "no-digest": true,
    "stale-revision": true,
    "wrong-digest": true,
    executed: true,
    expired: true,
    "already-decided": true,
    "unknown-person": true,
    "not-eligible": true,
    "bad-signature": true,
    "own-request": true,
    "second-vote": true,
    "no-note": true,
  };
  const [, rules = ""] = /## The rules\n(.*?)\n## /s.exec(page) ?? [];
  const names = [...rules.matchAll(/^\| `([a-z-]+)` +\|/gm)].map(([, name]) => name);
  expect(names.slice(0, 13)).toEqual(Object.keys(refusals));
});

test("every kind of notice is on the page, and the one it shows has all its members", () => {
  const kinds: Readonly<Record<NoticeKind, true>> = {
    requested: true,
    reminder: true,
    escalated: true,
    approved: true,
    rejected: true,
    expired: true,
  };
  const [, notices = ""] = /## Notices and reminders\n(.*?)\n## /s.exec(page) ?? [];
  expect([...notices.matchAll(/^\| `(\w+)` +\|/gm)].map(([, kind]) => kind).slice(1)).toEqual(Object.keys(kinds));
  const members: Readonly<Record<keyof NoticeData, true>> = {
    kind: true,
    count: true,
    key: true,
    type: true,
    endpoint: true,
    revision: true,
    digest: true,
    requestedBy: true,
    expiresAt: true,
    approvers: true,
  };
  const data = JSON.parse(block("json", 1)) as NoticeData; // its members are compared in the next line
  expect(Object.keys(data)).toEqual(Object.keys(members));
  const event = noticeEvent({ v: 1, to: "chat", ...data });
  expect(event).toMatchObject({ source: "countersign", type: "countersign.approval.requested", subject: "chat", data });
  expect(event.id).toMatch(/^approval-[\w-]{43}-1-requested-1$/);
});

test("the costs on the page are those that the server's counters are held to", async () => {
  const claims = await readFile("test/server/approval-cost.test.ts", "utf8");
  const [, costs = ""] = /## Cost\n(.*?)\n## /s.exec(page) ?? [];
  const figures = [...costs.matchAll(/\| +(\d+) \| +(\d+) \|$/gm)].map(([, steps, events]) => `${steps}/${events}`);
  expect(figures).toEqual([...claims.matchAll(/expectCost\(cost, "([\d/]+)"/g)].map(([, figure]) => figure));
  expect(figures).toHaveLength(4);
});
