#!/usr/bin/env node
/** The command line as a process. */
import { runCli } from "./main.ts";

/** What is still open after a command has ended must not keep it from leaving. */
const LEAVE_AFTER_MS = 2_000;

// `countersign list | head` closes the pipe early: that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exitCode = await runCli({
  argv: process.argv.slice(2),
  environment: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: process.cwd(),
});
setTimeout(() => process.exit(), LEAVE_AFTER_MS).unref();
