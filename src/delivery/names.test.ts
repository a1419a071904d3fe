import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  conflictWorkflowId,
  endpointOfWorkflow,
  endpointWorkflowId,
  eventIdProblem,
  eventKey,
  GATES_WORKFLOW_ID,
  isEventId,
  isName,
  laneQueue,
  parseEventKey,
  parseHandlerReference,
} from "./names.ts";

const sizeOf = (text: string): number => new TextEncoder().encode(text).length;

describe("isName", () => {
  test.each(["a", "crm", "crm-2", "a-", `a${"b".repeat(62)}`])("takes %j", (text) => {
    expect(isName(text)).toBe(true);
  });

  test.each(["", "A", "1a", "-a", "a_b", "a.b", "a/b", "a:b", "é", "a\n", `a${"b".repeat(63)}`])(
    "refuses %j",
    (text) => {
      expect(isName(text)).toBe(false);
    },
  );
});

describe("event IDs", () => {
  // Characters that broke pages, queues and keys elsewhere: temporalio/ui#2129, #1084, #1987, #668, temporalio/sdk-java#2874.
  test.each([
    "foo/bar",
    "a b",
    "a+b",
    "a%20b",
    "a%2Fb",
    "x'y\"z",
    "p:q",
    "p:q:r",
    "../x",
    "#?&",
    "%",
    "/",
    "evt-苗-1",
    "evt-😀",
    "café",
  ])("may be %j, and the key gives it back as it was", (id) => {
    expect(isEventId(id)).toBe(true);
    expect(parseEventKey(eventKey("shop", id))).toEqual({ source: "shop", id });
  });

  test.each(["", " a", "a ", "a\tb", "a\nb", "a\u2028b", "\ud83d", "/".repeat(200), "苗".repeat(54)])(
    "may not be %j",
    (id) => {
      expect(isEventId(id)).toBe(false);
      expect(parseEventKey(eventKey("shop", id))).toBeNull();
    },
  );

  test("end at 160 bytes", () => {
    expect(eventIdProblem("a".repeat(160))).toBeNull();
    expect(eventIdProblem("a".repeat(161))).toBe("is longer than 160 bytes");
  });

  test("that differ stay different keys, whatever they hold", () => {
    const sources = fc.stringMatching(/^[a-z][a-z0-9-]{0,62}$/);
    fc.assert(
      fc.property(sources, fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), (source, id) => {
        fc.pre(isEventId(id));
        expect(parseEventKey(eventKey(source, id))).toEqual({ source, id });
      }),
    );
  });
});

describe("parseEventKey", () => {
  test.each(["", "shop", "/evt_1", "Shop/evt_1", "shop/", "endpoint:crm", "https://shop.example/evt_1"])(
    "knows no key in %j",
    (key) => {
      expect(parseEventKey(key)).toBeNull();
    },
  );
});

describe("IDs of workflows and queues", () => {
  const fingerprint = `sha256:0123456789abcdef${"f".repeat(48)}`;

  test("are spelled as documented", () => {
    expect(endpointWorkflowId("crm")).toBe("endpoint:crm");
    expect(["endpoint:crm", "endpoint:", "endpoint:Not A Name", "shop/crm"].map(endpointOfWorkflow)).toEqual([
      "crm",
      null,
      null,
      null,
    ]);
    expect(GATES_WORKFLOW_ID).toBe("countersign:gates");
    expect(conflictWorkflowId("shop/evt_1", fingerprint)).toBe("conflict:shop/evt_1:0123456789abcdef");
    expect(laneQueue("countersign", "crm")).toBe("countersign/lane/crm");
  });

  test("fit into 255 bytes with the longest key", () => {
    const key = eventKey("s".repeat(63), `${"苗".repeat(53)}a`);
    expect(sizeOf(key)).toBe(224);
    expect(sizeOf(conflictWorkflowId(key, fingerprint))).toBe(250);
  });

  test("are never event keys", () => {
    for (const id of [endpointWorkflowId("a/b"), GATES_WORKFLOW_ID, conflictWorkflowId("shop/evt_1", fingerprint)]) {
      expect(parseEventKey(id)).toBeNull();
    }
  });

  test.each(["", "0123456789abcdef", "sha256:0123", `sha256:${"F".repeat(64)}`])(
    "are not made of the fingerprint %j",
    (wrong) => {
      expect(() => conflictWorkflowId("shop/evt_1", wrong)).toThrow(
        expect.objectContaining({
          code: "bad_argument",
          message: expect.stringContaining("64 hex digits"),
        }),
      );
    },
  );
});

describe("parseHandlerReference", () => {
  test.each([
    ["refund@1", "refund", "1"],
    ["a@2026-11-29", "a", "2026-11-29"],
    ["re-fund@v1.2.0-rc.1", "re-fund", "v1.2.0-rc.1"],
  ])("splits %j", (text, name, version) => {
    expect(parseHandlerReference(text)).toEqual({ name, version });
  });

  test.each([
    "",
    "refund",
    "@1",
    "refund@",
    "Refund@1",
    "refund@1@2",
    "refund@ 1",
    "refund@-1",
    `refund@${"1".repeat(64)}`,
  ])("knows no reference in %j", (text) => {
    expect(parseHandlerReference(text)).toBeNull();
  });
});
