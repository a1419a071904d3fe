/** Where and on what a run took place, and what the server's process has spent. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import type { Client } from "@temporalio/client";
import type { Environment } from "./report.ts";

export async function readEnvironment(client: Client): Promise<Environment> {
  const { serverVersion } = await client.connection.workflowService.getSystemInfo({});
  return {
    at: new Date().toISOString(),
    commit: await readCommit(),
    node: process.versions.node,
    temporalServer: serverVersion ?? "unknown",
    cpus: cpus().length,
    cpuModel: cpus()[0]?.model.trim() ?? "unknown",
    loadAverage: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}

function readCommit(): Promise<string | null> {
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  return new Promise((resolve) => {
    execFile("git", ["describe", "--always", "--dirty", "--exclude=*"], { cwd }, (error, stdout) =>
      resolve(error === null ? stdout.trim() : null),
    );
  });
}

/** `USER_HZ`, the unit of /proc, is 100 on every platform Node runs on. */
const MS_PER_TICK = 10;

/** User and system time of another process, milliseconds; null where there is no /proc. See proc_pid_stat(5). */
export function cpuMsOf(pid: number): number | null {
  if (process.platform !== "linux") return null;
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is a name that may hold anything; `utime` and `stime` are the 14th and 15th.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}
