import { describe, expect, test } from "vitest";
import type { ErrorCode } from "../errors.ts";
import { BAD_INPUT_TYPES } from "./bad-input.ts";

describe("BAD_INPUT_TYPES", () => {
  test.each<ErrorCode>([
    "bad_event",
    "bad_id",
    "body_too_large",
    "duplicate_member",
    "invalid_json",
    "no_route",
    "requester_required",
    "unknown_source",
  ])("fails the run of an event with %s, which no waiting mends", (code) => {
    expect(BAD_INPUT_TYPES).toContain(code);
  });

  test.each<ErrorCode>([
    "config_invalid",
    "missing_env",
    "unknown_endpoint",
    "temporal_unreachable",
    "timeout",
    "handler_missing",
  ])("does not fail a run for %s, which is trouble on our side", (code) => {
    expect(BAD_INPUT_TYPES).not.toContain(code);
  });
});
