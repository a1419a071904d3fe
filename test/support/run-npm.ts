/** Runs an npm script of this repository the way a person does, to its end. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface Finished {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const WITHIN_MS = 120_000;

export interface RunOptions {
  /** The repository when absent. */
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Any program; resolves also when it fails, since its exit code is what a test looks at. */
export function run(
  file: string,
  args: readonly string[],
  { cwd = ROOT, environment = process.env }: RunOptions = {},
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const options = { cwd, env: environment, timeout: WITHIN_MS, maxBuffer: 64 * 1024 * 1024 };
    execFile(file, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ exitCode: 0, stdout, stderr });
      else if (typeof error.code === "number") resolve({ exitCode: error.code, stdout, stderr });
      else reject(error);
    });
  });
}

/** `--silent`, because npm writes a banner of its own to standard output. */
export function runScript(script: string, args: readonly string[] = []): Promise<Finished> {
  return run("npm", ["run", "--silent", script, "--", ...args]);
}
