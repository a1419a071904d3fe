import { expect, test } from "vitest";
import { aProposal, DIGEST } from "../../test/support/a-proposal.ts";
import { decideCommands } from "./decide-commands.ts";

const WAITING = { key: "shop/evt_1", proposal: aProposal(), delivery: null, namespace: "default" };

test("prints what to type with the whole digest, also without anything of ours", () => {
  expect(decideCommands(WAITING)).toEqual([
    `countersign approve shop/evt_1 --digest ${DIGEST}`,
    `countersign reject shop/evt_1 --digest ${DIGEST} --note "…"`,
    `temporal workflow signal --workflow-id shop/evt_1 --name approve --input '{"actor":"you@example.com","digest":"${DIGEST}"}'`,
  ]);
});

test("names the delivery and the namespace where they are not plain", () => {
  const lines = decideCommands({ ...WAITING, key: "shop/a b", delivery: "payments", namespace: "prod" });
  expect(lines[0]).toBe(`countersign approve 'shop/a b' --digest ${DIGEST} --delivery payments`);
  expect(lines[2]).toContain("signal --namespace prod --workflow-id 'shop/a b'");
  expect(lines[2]).toContain(`"digest":"${DIGEST}","delivery":"payments"}'`);
});

test("asks for the key where decisions must be signed, which the Temporal CLI cannot", () => {
  const proposal = aProposal({ policy: { ...aProposal().policy, requireSignedDecisions: true } });
  const lines = decideCommands({ ...WAITING, proposal });
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).toMatch(/ --key-file \S+$/);
});
