import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anApiKey } from "../../test/support/an-api-key.ts";
import type { KeyRole } from "../config/config.ts";
import { KEY_ROLES } from "../config/key-entry.ts";
import { type AccessAction, type AccessVerb, allows, roleAllows } from "./allows.ts";

/** Who may do what, once more and the other way round: a verb that joins is a type error here. */
const MAY: Readonly<Record<AccessVerb, readonly KeyRole[]>> = {
  submit: ["ingest"],
  read: ["viewer", "approver", "operator"],
  approve: ["approver"],
  reject: ["approver"],
  withdraw: ["approver"],
  replay: ["operator"],
  discard: ["operator"],
  "mark-delivered": ["operator"],
  amend: ["operator"],
  hurry: ["operator"],
  hold: ["operator"],
  release: ["operator"],
  pause: ["operator"],
  resume: ["operator"],
  test: ["operator"],
  "bulk-replay": ["operator"],
};
const VERBS = Object.keys(MAY) as readonly AccessVerb[]; // its keys by its type

const ORDER: AccessAction = { do: "submit", source: "shop", type: "order.created" };
const actionOf = (verb: AccessVerb): AccessAction => (verb === "submit" ? ORDER : { do: verb });

describe("allows", () => {
  test.each(VERBS)("%s is for these roles and no others", (verb) => {
    const rest = { sources: ["shop"], types: null };
    expect(KEY_ROLES.filter((role) => allows({ ...rest, role }, actionOf(verb)))).toEqual(MAY[verb]);
    expect(KEY_ROLES.filter((role) => roleAllows(role, verb))).toEqual(MAY[verb]);
  });

  test("an ingest key can do nothing but send, whatever its scope", () => {
    const { key } = anApiKey({ types: ["*"] });
    expect(VERBS.filter((verb) => allows(key, actionOf(verb)))).toEqual(["submit"]);
  });

  test.each([
    [["shop"], null, "shop", "anything", true],
    [["shop", "billing"], null, "billing", "anything", true],
    [["shop"], null, "billing", "order.created", false],
    [["shop"], null, "shopping", "order.created", false],
    [["shop"], null, "countersign", "countersign.test", false],
    [[], null, "shop", "order.created", false],
    [["shop"], ["order.*"], "shop", "order.created", true],
    [["shop"], ["order.*"], "shop", "order", false],
    [["shop"], ["order.*"], "shop", "refund.order.created", false],
    [["shop"], ["order.*", "refund.requested"], "shop", "refund.requested", true],
    [["shop"], ["order.*"], "billing", "order.created", false],
    [["shop"], [], "shop", "order.created", false],
  ])("a key for %j and types %j, asked for %s %s, answers %s", (sources, types, source, type, expected) => {
    expect(allows(anApiKey({ sources, types }).key, { do: "submit", source, type })).toBe(expected);
  });

  test("types never widen what a key without them may send", () => {
    const words = fc.array(fc.constantFrom("order.*", "*", "refund", "", "*.created"));
    const type = fc.constantFrom("order.created", "refund", "x");
    fc.assert(
      fc.property(words, type, fc.constantFrom("shop", "billing"), (types, name, source) => {
        const action: AccessAction = { do: "submit", source, type: name };
        const narrow = allows(anApiKey({ types }).key, action);
        expect(narrow && !allows(anApiKey().key, action)).toBe(false);
      }),
    );
  });
});
