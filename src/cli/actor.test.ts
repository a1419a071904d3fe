import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { actorOf } from "./actor.ts";

test("takes --as before COUNTERSIGN_ACTOR before the user of the machine", () => {
  const environment = { COUNTERSIGN_ACTOR: "ana@example.com", USER: "root" };
  expect(actorOf("bo@example.com", environment)).toBe("bo@example.com");
  expect(actorOf(undefined, environment)).toBe("ana@example.com");
  expect(actorOf(undefined, { COUNTERSIGN_ACTOR: "", USER: "root" })).toBe("cli:root");
  expect(actorOf(undefined, { USERNAME: "win" })).toBe("cli:win");
  expect(actorOf(undefined, {})).toBe(`cli:${userInfo().username}`);
});

test.each(["", "  "])("takes nobody for %j, whoever the environment names", (as) => {
  expect(() => actorOf(as, { COUNTERSIGN_ACTOR: "ana@example.com", USER: "root" })).toThrow(/^--as is empty/);
});
