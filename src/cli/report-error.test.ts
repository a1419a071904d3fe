import { CommanderError } from "commander";
import { describe, expect, test } from "vitest";
import { CountersignError, type ErrorCode } from "../errors.ts";
import { exitCodeOf } from "./exit-code.ts";
import { complaintOf, problemOf } from "./report-error.ts";

function grpcError(code: number, details: string): Error {
  return Object.assign(new Error("wrapped"), { cause: Object.assign(new Error("inner"), { code, details }) });
}

describe("exitCodeOf", () => {
  const TABLE: Readonly<Record<ErrorCode, number>> = {
    bad_argument: 2,
    bad_event: 2,
    bad_id: 2,
    body_too_large: 2,
    config_invalid: 2,
    config_not_found: 2,
    conflict: 4,
    duplicate_member: 2,
    endpoint_held: 1,
    handler_missing: 2,
    invalid_json: 2,
    missing_env: 2,
    no_route: 4,
    not_found: 3,
    refused: 4,
    requester_required: 4,
    search_attributes_missing: 1,
    server_unavailable: 1,
    temporal_unreachable: 5,
    timeout: 1,
    unknown_endpoint: 3,
    unknown_source: 4,
    unsupported_server: 1,
  };

  test.each(Object.entries(TABLE) as [ErrorCode, number][])("%s ends send with %i", (code, exit) => {
    expect(exitCodeOf(code, "send")).toBe(exit);
  });

  test("takes an event that was refused for a fact, unless the person typed it", () => {
    expect(exitCodeOf("bad_event", "show")).toBe(1);
    expect(exitCodeOf("invalid_json", "show")).toBe(1);
    expect(exitCodeOf("invalid_json", "amend")).toBe(2);
    expect(exitCodeOf("bad_event", "amend")).toBe(1);
  });

  test("takes an unknown endpoint of --only for bad usage", () => {
    expect(exitCodeOf("unknown_endpoint", "worker")).toBe(2);
  });

  test("knows no better than failed for what has no code", () => {
    expect(exitCodeOf("internal", "send")).toBe(1);
  });
});

describe("complaintOf", () => {
  test("keeps the code, the sentence and the facts of our own errors", () => {
    const error = new CountersignError("no_route", "No route matches", { details: { type: "x" } });
    expect(complaintOf(error, "send")).toEqual({
      code: "no_route",
      message: "No route matches.",
      details: { type: "x" },
    });
  });

  test("makes a sentence of what commander says, and points to the help of the verb", () => {
    const error = new CommanderError(
      1,
      "commander.unknownOption",
      "error: unknown option '--foo'\n(Did you mean --for?)",
    );
    expect(complaintOf(error, "list")).toMatchObject({
      code: "bad_argument",
      message: "Unknown option '--foo' (Did you mean --for?) See `countersign list --help`.",
    });
    expect(complaintOf(error, "").message).toContain("See `countersign --help`.");
  });

  test("says what is missing of a group of commands named alone", () => {
    const error = new CommanderError(1, "commander.help", "(outputHelp)");
    expect(complaintOf(error, "people").message).toBe("A command is missing. See `countersign people --help`.");
  });

  test.each([
    [14, "connection dropped", "temporal_unreachable", "stopped answering"],
    [4, "deadline", "temporal_unreachable", "stopped answering"],
    [1, "context canceled", "temporal_unreachable", "stopped answering"],
    [7, "no", "temporal_unreachable", "refuses this call"],
    [16, "who are you", "temporal_unreachable", "refuses this call"],
    [5, "Namespace x is not found.", "not_found", "Namespace x is not found."],
    [13, "boom", "internal", "boom."],
  ])("tells gRPC status %i (%s) as %s", (status, details, code, words) => {
    const complaint = complaintOf(grpcError(status, details), "list");
    expect(complaint.code).toBe(code);
    expect(complaint.message).toContain(words);
  });

  test("admits what it does not know", () => {
    expect(complaintOf(new TypeError("x is not a function"), "list")).toMatchObject({
      code: "internal",
      message: "This should not have happened: x is not a function.",
    });
    expect(complaintOf("thrown text", "list").message).toContain("thrown text");
  });
});

describe("problemOf", () => {
  test("is a problem of RFC 9457 whose facts cannot displace its own members", () => {
    const details = { key: "shop/a", code: "other", type: "order.created" };
    expect(problemOf({ code: "conflict", message: "It is another one.", details })).toEqual({
      type: "urn:countersign:problem:conflict",
      title: "The key was used for other content",
      detail: "It is another one.",
      code: "conflict",
      key: "shop/a",
    });
  });
});
