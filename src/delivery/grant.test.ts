import { describe, expect, test } from "vitest";
import {
  approved,
  asked,
  begun,
  decide,
  digestOf,
  EXPIRES_MS,
  live,
  only,
  reported,
  unasked,
} from "../../test/support/approvals.ts";
import { anAttempt, at, NOON_MS } from "../../test/support/deliveries.ts";
import { grantOf } from "./grant.ts";

describe("grantOf", () => {
  test("is none where nobody was asked", () => {
    expect(grantOf(only(unasked()))).toBeNull();
  });

  test("brings the digest and every vote, whole", () => {
    const granted = decide(asked(), "approve", { signature: "c2ln" });
    expect(grantOf(only(granted))).toEqual({
      revision: 1,
      digest: digestOf(1),
      createdAtMs: NOON_MS,
      expiresAtMs: NOON_MS + EXPIRES_MS,
      executed: false,
      votes: [{ actor: "ana", at: at(1000), digest: digestOf(1), signature: "c2ln", rules: [0] }],
    });
  });

  test("is executed from the first attempt on", () => {
    const retrying = live(approved(), begun(), reported({ kind: "attempted", endpoint: "crm", record: anAttempt() }));
    expect(grantOf(only(retrying))).toMatchObject({ executed: true });
  });
});
