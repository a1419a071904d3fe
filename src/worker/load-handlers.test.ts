import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { stageConfig } from "../../test/support/activity-stage.ts";
import { handler, NonRetryableError, RetryableError } from "../activities/handler.ts";
import type { Endpoint } from "../config/config.ts";
import { CountersignError } from "../errors.ts";
import { handlersFor, loadHandlers } from "./load-handlers.ts";

/** Writes modules into a folder of their own, which goes with the test. */
async function modules(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-handlers-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const paths = Object.entries(files).map(async ([name, text]) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  });
  return await Promise.all(paths);
}

const names = (handlers: readonly { readonly name: string; readonly version: string }[]): readonly string[] =>
  handlers.map(({ name, version }) => `${name}@${version}`).toSorted();

async function refusal(run: Promise<unknown>): Promise<CountersignError> {
  const error: unknown = await run.then(
    () => new TypeError("It was accepted"),
    (thrown: unknown) => thrown,
  );
  if (error instanceof CountersignError) return error;
  throw error;
}

const endpoint = (name: string, wanted: string | null): Endpoint => {
  const raw = wanted === null ? { url: "https://crm.example/" } : { handler: wanted };
  const built = stageConfig({ [name]: raw }).endpoints[name];
  if (built === undefined) throw new TypeError(`The configuration has endpoint ${name}`);
  return built;
};

describe("loadHandlers", () => {
  test("collects what modules export, alone or in lists, TypeScript and JavaScript alike", async () => {
    const paths = await modules({
      "refund.ts": `import { handler } from "countersign/worker";
        interface Refund { readonly amount: number }
        export const refund = handler("refund", "1", async (input: Refund) => ({ reference: String(input.amount) }));
        export const limit: number = 500;
        export default handler("refund", "2", () => undefined);`,
      "mail.mjs": `import { handler } from "countersign/worker";
        export const all = [handler("mail", "1", () => {}), handler("mail", "2", () => {}), null, { name: "x", version: "1" }];`,
      "plain.js": `export const own = { name: "plain", version: "1", run() {} };`,
      "empty.ts": `export {};`,
    });
    const handlers = await loadHandlers(paths);
    expect(names(handlers)).toEqual(["mail@1", "mail@2", "plain@1", "refund@1", "refund@2"]);
  });

  test("gives a module this very package, so that its errors are known", async () => {
    const [path = ""] = await modules({
      "a.ts": `import { handler, NonRetryableError, RetryableError } from "countersign/worker";
        export const a = handler("a", "1", () => { throw new RetryableError("busy", { retryAfterMs: 5 }) });
        export const b = handler("b", "1", () => { throw new NonRetryableError("no") });`,
    });
    const [a, b] = await loadHandlers([path]);
    const context = {
      event: { source: "shop", id: "1", type: "t" },
      signal: new AbortController().signal,
      idempotencyKey: "k",
      attempt: 1,
    };
    expect(() => a?.run(undefined as never, context)).toThrow(RetryableError);
    expect(() => b?.run(undefined as never, context)).toThrow(NonRetryableError);
  });

  test("names the module that cannot be loaded", async () => {
    const [broken = ""] = await modules({ "broken.ts": `throw new Error("no database");` });
    const error = await refusal(loadHandlers([broken]));
    expect([error.code, error.message]).toEqual(["config_invalid", `Handler module ${broken}: no database`]);
    const strange = await modules({ "strange.ts": `throw "a text";` });
    expect((await refusal(loadHandlers(strange))).message).toContain("it could not be loaded");
    const [present = ""] = await modules({ "present.ts": "" });
    const missing = await refusal(loadHandlers([`${present}.not-there.ts`]));
    expect([missing.code, missing.message]).toEqual([
      "config_invalid",
      expect.stringContaining("not-there.ts: ENOENT"),
    ]);
  });

  test("loads nothing where nothing is named", async () => {
    expect(await loadHandlers([])).toEqual([]);
  });
});

describe("handlersFor", () => {
  const refund = handler("refund", "1", () => undefined);

  test("finds them by name and version", () => {
    const found = handlersFor(
      [endpoint("payments", "refund@1"), endpoint("crm", null)],
      [refund, handler("mail", "1", () => undefined)],
    );
    expect([...found.keys()]).toEqual(["refund@1", "mail@1"]);
    expect(found.get("refund@1")).toBe(refund);
  });

  test("refuses to start without one that is needed, and names those there are", async () => {
    const start = async (handlers: readonly (typeof refund)[]) =>
      Promise.resolve(handlersFor([endpoint("payments", "refund@2")], handlers));
    await expect(start([refund]).catch((error: unknown) => error)).resolves.toMatchObject({
      code: "handler_missing",
      message: "Endpoint payments needs handler refund@2, which this worker does not have; registered here: refund@1",
    });
    await expect(start([])).rejects.toThrow("registered here: none");
  });

  test("refuses one reference for two handlers", () => {
    expect(() => handlersFor([], [refund, handler("refund", "1", () => undefined)])).toThrow(
      "Handler refund@1 is registered twice",
    );
  });
});
