import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CountersignError } from "../errors.ts";
import { loadConfig, type LoadOptions } from "./load-config.ts";

let root = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "countersign-config-"));
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

/** Writes files below a folder of their own and answers that folder. */
async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(root, "case-"));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

const load = (cwd: string, options: Partial<LoadOptions> = {}) => loadConfig({ cwd, environment: {}, ...options });

async function refusal(cwd: string, options: Partial<LoadOptions> = {}): Promise<CountersignError> {
  try {
    await load(cwd, options);
  } catch (error) {
    if (error instanceof CountersignError) return error;
    throw error;
  }
  throw new Error("The configuration was loaded.");
}

const TYPED = `
import { defineConfig, env, type RawConfig } from "countersign";
import { shared } from "./shared.ts";
const port: number = await Promise.resolve(9443);
export default defineConfig({
  endpoints: { crm: { url: env("CRM_URL"), ports: [port], headers: { authorization: shared } } },
  routes: [{ match: { when: (event: { type: string }): boolean => event.type === "x" }, to: ["crm"] }],
  handlers: ["./handlers.ts"],
} satisfies RawConfig);
`;
const SHARED = `import { env } from "countersign";\nexport const shared = env("CRM_AUTHORIZATION") as { readonly env: string };\n`;
const PLAIN = `import { defineConfig, env } from "countersign";\nexport default defineConfig({ endpoints: { crm: { url: env("CRM_URL") } } });\n`;
const COMMON = `const { env } = require("countersign");\nmodule.exports = { endpoints: { crm: { url: env("CRM_URL") } } };\n`;
const JSON_TEXT = `{ "endpoints": { "crm": { "url": { "env": "CRM_URL" } } } }`;

describe("loadConfig", () => {
  test("runs TypeScript, with this very package behind the name countersign, also in modules it imports", async () => {
    const folder = await folderWith({ "countersign.config.ts": TYPED, "shared.ts": SHARED });
    const config = await load(folder);
    expect(config.path).toBe(join(folder, "countersign.config.ts"));
    expect(config.endpoints["crm"]).toMatchObject({
      url: { env: "CRM_URL" },
      ports: [9443],
      headers: { authorization: { env: "CRM_AUTHORIZATION" } },
    });
    expect(config.handlers).toEqual([join(folder, "handlers.ts")]);
    expect(typeof config.routes[0]?.match.when).toBe("function");
  });

  test.each([
    ["countersign.config.js", PLAIN],
    ["countersign.config.js", COMMON],
    ["countersign.config.mjs", PLAIN],
    ["countersign.config.json", JSON_TEXT],
    ["countersign.config.json", `\ufeff${JSON_TEXT}`],
  ])("reads %s", async (name, text) => {
    const config = await load(await folderWith({ [name]: text }));
    expect(config.endpoints["crm"]?.url).toEqual({ env: "CRM_URL" });
  });

  test("walks up from the working directory to the nearest file", async () => {
    const folder = await folderWith({
      "countersign.config.json": `{ "dedupeWindow": "1d" }`,
      "a/countersign.config.json": `{ "dedupeWindow": "2d" }`,
      "a/b/c/keep": "",
    });
    expect((await load(join(folder, "a", "b", "c"))).path).toBe(join(folder, "a", "countersign.config.json"));
    expect((await load(folder)).dedupeWindowMs).toBe(86_400_000);
  });

  test("prefers the named file, then COUNTERSIGN_CONFIG, both relative to the working directory", async () => {
    const folder = await folderWith({
      "countersign.config.json": "{}",
      "one.json": `{ "dedupeWindow": "1d" }`,
      "two.json": `{ "dedupeWindow": "2d" }`,
    });
    const environment = { COUNTERSIGN_CONFIG: "two.json" };
    expect((await load(folder, { path: "one.json", environment })).path).toBe(join(folder, "one.json"));
    expect((await load(folder, { environment })).path).toBe(join(folder, "two.json"));
    expect((await load(folder, { environment: { COUNTERSIGN_CONFIG: "" } })).path).toBe(
      join(folder, "countersign.config.json"),
    );
  });

  test("sees a file that has changed since it was loaded", async () => {
    const folder = await folderWith({ "countersign.config.mjs": `export default { dedupeWindow: "1d" };` });
    await load(folder);
    await writeFile(join(folder, "countersign.config.mjs"), `export default { dedupeWindow: "2d" };`);
    expect((await load(folder)).dedupeWindowMs).toBe(172_800_000);
  });

  test("says what it looked for, and where, when there is none", async () => {
    const folder = await folderWith({ "countersign.config.ts/keep": "" });
    const error = await refusal(folder);
    expect(error.code).toBe("config_not_found");
    expect(error.message).toBe(
      `No configuration found: looked for countersign.config.ts, countersign.config.js, countersign.config.mjs, countersign.config.json in ${folder} and every folder above it. Create one, or name it with --config or COUNTERSIGN_CONFIG.`,
    );
  });

  test("says who named a file that is not there", async () => {
    const folder = await folderWith({});
    const file = join(folder, "nope.json");
    const byOption = await refusal(folder, { path: "nope.json" });
    expect(byOption.code).toBe("config_not_found");
    expect(byOption.message).toBe(`There is no configuration file ${file} (named by --config).`);
    const byVariable = await refusal(folder, { environment: { COUNTERSIGN_CONFIG: "nope.json" } });
    expect(byVariable.message).toBe(`There is no configuration file ${file} (named by COUNTERSIGN_CONFIG).`);
  });

  test.each([
    ["countersign.config.ts", "export default {", /cannot be loaded: ParseError: Unexpected token/],
    ["countersign.config.mjs", `throw new Error("no\\n luck");`, /cannot be loaded: no luck$/],
    ["countersign.config.mjs", `throw "text";`, /cannot be loaded: text$/],
    [
      "countersign.config.js",
      `import "not-installed-anywhere"; export default {};`,
      /cannot be loaded: Cannot find module 'not-installed-anywhere'/,
    ],
    [
      "countersign.config.ts",
      "export const config = {};",
      /cannot be loaded: it has no default export; write `export default defineConfig/,
    ],
    [
      "countersign.config.ts",
      "export default { keys: [csk_5f2c_s3cr3ts3cr3t-x] };",
      /cannot be loaded: csk_5f2c_… is not defined$/,
    ],
    ["countersign.config.json", `{ "keys": [ s3cr3t ] }`, /cannot be loaded: it is not valid JSON( \(line 1\))?$/],
    [
      "countersign.config.json",
      `{ "endpoints": {}, "endpoints": {} }`,
      /cannot be loaded: the member endpoints is there twice$/,
    ],
    [
      "countersign.config.ts",
      "export default () => ({});",
      /is not valid: the configuration: found a function; accepted: an object with/,
    ],
  ])("names the file %s and what is wrong with it: %s", async (name, text, message) => {
    const folder = await folderWith({ [name]: text });
    const error = await refusal(folder);
    expect(error.code).toBe("config_invalid");
    expect(error.message).toContain(join(folder, name));
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain("s3cr3t");
    expect(error.message).not.toContain("\n");
  });

  test("refuses a kind of file it does not read", async () => {
    const error = await refusal(await folderWith({ "config.yaml": "a: 1" }), { path: "config.yaml" });
    expect(error.message).toMatch(/config\.yaml cannot be loaded: it is none of \.ts, \.js, \.mjs and \.json$/);
  });
});
