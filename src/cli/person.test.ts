import { describe, expect, test } from "vitest";
import { personOf } from "./person.ts";

const PEOPLE = { "ana@example.com": {}, "bo@example.com": {} };

describe("personOf", () => {
  test("takes --as before COUNTERSIGN_ACTOR", () => {
    const environment = { COUNTERSIGN_ACTOR: "ana@example.com" };
    expect(personOf("bo@example.com", environment, PEOPLE)).toBe("bo@example.com");
    expect(personOf(undefined, environment, PEOPLE)).toBe("ana@example.com");
  });

  test.each([
    [undefined, {}, /say who you are with --as or COUNTERSIGN_ACTOR; known are ana@example.com, bo@example.com\.$/],
    ["", { COUNTERSIGN_ACTOR: "ana@example.com" }, /say who you are/],
    ["cy", {}, /^"cy" is not a person of the configuration; known are ana/],
    ["Ana@example.com", {}, /is not a person/],
    ["toString", {}, /is not a person/],
    ["cli:root", { USER: "root" }, /is not a person/],
  ])("refuses %j as bad usage, naming who is known", (as, environment, message) => {
    const decide = () => personOf(as, environment, PEOPLE);
    expect(decide).toThrow(expect.objectContaining({ code: "bad_argument", message: expect.stringMatching(message) }));
  });

  test("names at most twenty, and says when there is nobody", () => {
    const many = Object.fromEntries(Array.from({ length: 23 }, (_, index) => [`p${index}`, {}]));
    expect(() => personOf("x", {}, many)).toThrow(/p18, p19 and 3 more\.$/);
    expect(() => personOf("x", {}, {})).toThrow(/`people` is empty/);
  });
});
