import { describe, expect, test } from "vitest";
import { PROVIDER } from "../../test/support/signature-vectors.ts";
import { parseConfig } from "../config/parse-config.ts";
import type { RawConfig } from "../config/raw-config.ts";
import { exitOf } from "./check.ts";
import { checkHooks } from "./check-hooks.ts";

type RawSource = NonNullable<RawConfig["sources"]>[string];

function checked(source: RawSource, environment: Readonly<Record<string, string>> = {}) {
  return checkHooks(parseConfig({ sources: { shop: source, other: {} } }, { path: null }), environment);
}

const github = (...secrets: readonly (string | { readonly env: string })[]): RawSource => ({
  verify: { scheme: "github", secrets },
});
const [OLD, NEW] = [{ env: "OLD_SECRET" }, { env: "NEW_SECRET" }];

describe("checkHooks", () => {
  test("has nothing to say of a source that no provider signs", () => {
    expect(checked({})).toEqual([]);
  });

  test("says of each other one that what it needs is there", () => {
    expect(checked(github(OLD, NEW), { OLD_SECRET: "o", NEW_SECRET: "n" })).toEqual([
      { name: "source shop", verdict: "ok", text: "OLD_SECRET, NEW_SECRET set" },
    ]);
  });

  test.each([
    [{}, "OLD_SECRET, NEW_SECRET are not set"],
    [{ OLD_SECRET: "o", NEW_SECRET: "" }, "NEW_SECRET is not set"],
  ])("warns of what is not set in %j, by name, which fails nothing", (environment, words) => {
    const checks = checked(github(OLD, NEW), environment);
    expect(checks).toEqual([{ name: "source shop", verdict: "warn", text: expect.stringContaining(`${words}: `) }]);
    expect(exitOf(checks)).toBe(0);
  });

  test("fails a value that no server could use, with exit 2 and without showing it", () => {
    const secrets = [{ env: "S" }];
    const checks = checked({ verify: { scheme: "standard-webhooks", secrets } }, { S: "whsec_short" });
    expect(checks).toMatchObject([
      { verdict: "fail", text: expect.stringContaining("environment variable S must be") },
    ]);
    expect(JSON.stringify(checks)).not.toContain("short");
    expect(exitOf(checks)).toBe(2);
  });

  test.each<readonly [source: RawSource, warnings: number]>([
    [github("a literal one"), 1],
    [github(OLD, "a literal one"), 1],
    [{ verify: { scheme: "standard-webhooks", secrets: [`whsec_${"AAAA".repeat(8)}`] } }, 1],
    [{ verify: { scheme: "standard-webhooks", secrets: [`whpk_${Buffer.alloc(32, 1).toString("base64")}`] } }, 0],
    [{ verify: { scheme: "discord", secrets: ["0a".repeat(32)] } }, 0],
    [{ verify: { scheme: "sns", certificates: [PROVIDER.certificate], topics: ["arn:aws:sns:x"] } }, 0],
    [{ verify: { scheme: "twilio", secrets: [OLD], publicUrl: "https://hooks.example/v1/hooks/shop" } }, 0],
  ])("of %j: %i warnings that a secret stands in the file", (source, warnings) => {
    const found = checked(source, { OLD_SECRET: "o" }).filter(({ verdict }) => verdict === "warn");
    expect(found).toHaveLength(warnings);
    for (const { text } of found) expect(text).toBe(SAID);
  });
});

const SAID = "verify.secrets: a secret stands in the configuration file; move it to a variable and write env('NAME')";
