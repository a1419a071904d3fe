import { describe, expect, test } from "vitest";
import { runCommand } from "./run-command.ts";

const ENDLESS = "process.stdout.write('up'); setInterval(() => undefined, 1000)";

function run(script: string, options: Partial<Parameters<typeof runCommand>[1]> = {}): ReturnType<typeof runCommand> {
  return runCommand([process.execPath, "-e", script], { environment: process.env, deadlineMs: 15_000, ...options });
}

describe("a command", () => {
  test("that ends well gives its output", async () => {
    await expect(run("console.log('1.9.1')")).resolves.toEqual({ kind: "done", stdout: "1.9.1\n" });
  });

  test("that fails gives the last line it wrote, without credentials in addresses", async () => {
    const script =
      "console.error('first\\nERROR: no match at https://user:token@index.example/simple'); process.exitCode = 1";
    await expect(run(script)).resolves.toEqual({
      kind: "failed",
      reason: "ERROR: no match at https://index.example/simple",
    });
  });

  test("that fails without a word gives its exit status", async () => {
    await expect(run("process.exitCode = 3")).resolves.toEqual({ kind: "failed", reason: "exit status 3" });
  });

  test("that does not exist is not found", async () => {
    const result = await runCommand(["/no/such/program"], { environment: {}, deadlineMs: 1_000 });
    expect(result).toEqual({ kind: "failed", reason: "not found" });
  });

  test("that does not end is ended at the deadline", async () => {
    await expect(run(ENDLESS, { deadlineMs: 300 })).resolves.toEqual({ kind: "failed", reason: "no end within 0.3 s" });
  });

  test("is given more time as long as it makes progress", async () => {
    const answers = [true, true, false];
    await expect(
      run(ENDLESS, { deadlineMs: 100, isProgressing: () => Promise.resolve(answers.shift() ?? false) }),
    ).resolves.toMatchObject({ kind: "failed" });
    expect(answers).toEqual([]);
  });
});
