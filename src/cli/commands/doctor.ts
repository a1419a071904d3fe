/** `doctor`: looks at everything a delivery needs and says what is missing, without changing anything. */
import { connectClient } from "../../temporal/connect.ts";
import type { Config } from "../../config/config.ts";
import { isCountersignError } from "../../errors.ts";
import { type Check, exitOf, fail, warn } from "../check.ts";
import { checkConfig } from "../check-config.ts";
import { checkHooks } from "../check-hooks.ts";
import { checkKeys } from "../check-keys.ts";
import { checkTemporal } from "../check-server.ts";
import type { CliContext } from "../context.ts";
import { exitCodeOf } from "../exit-code.ts";
import { LOOPBACK } from "../loopback.ts";
import { safeLines } from "../safe-text.ts";
import { withSpinner } from "../spinner.ts";
import type { Colors } from "../terminal.ts";

export async function doctor(context: CliContext): Promise<number> {
  const { terminal, json } = context;
  const checks = await withSpinner(terminal, "Looking", async () => await examine(context));
  if (json) terminal.json({ checks });
  else for (const line of checkLines(checks, terminal.colors)) terminal.out(line);
  return exitOf(checks);
}

async function examine(context: CliContext): Promise<readonly Check[]> {
  const strict = await asCheck("configuration", async () => await context.config());
  if (!("verdict" in strict)) return await examineWith(context, strict);
  const config = await asCheck("configuration", async () => await context.config({ alsoAllowPrivate: LOOPBACK }));
  if ("verdict" in config) return [config];
  const onlyDev = warn("configuration", `good for \`countersign dev\` alone, a worker would refuse it: ${strict.text}`);
  return [onlyDev, ...(await examineWith(context, config))];
}

async function examineWith(context: CliContext, config: Config): Promise<readonly Check[]> {
  return [
    ...checkConfig(config, context.environment),
    ...checkHooks(config, context.environment),
    ...checkKeys(config, Date.now()),
    ...(await examineServer(context, config)),
  ];
}

async function examineServer({ environment }: CliContext, config: Config): Promise<readonly Check[]> {
  const connected = await asCheck(
    "temporal",
    async () => await connectClient({ temporal: config.temporal, environment }),
  );
  if ("verdict" in connected) return [connected];
  try {
    return await checkTemporal(config, connected);
  } finally {
    await connected.close();
  }
}

/** What a command would end with, as a line instead. */
async function asCheck<Found>(name: string, find: () => Promise<Found>): Promise<Found | Check> {
  try {
    return await find();
  } catch (error) {
    if (!isCountersignError(error)) throw error;
    return fail(name, error.message, exitCodeOf(error.code, "doctor"));
  }
}

export function checkLines(checks: readonly Check[], { green, red, yellow }: Colors): readonly string[] {
  const colors = { ok: green, warn: yellow, fail: red };
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks.map(
    ({ name, verdict, text }) =>
      `${colors[verdict](verdict.padEnd("fail".length))}  ${name.padEnd(width)}  ${safeLines(text)}`,
  );
}
