/** `countersign serve` as a real process with a configuration of its own. */
import { aFolder, type Folder, type RunningCommand, startCommand } from "./command-line.ts";
import type { RawConfig } from "../../src/config/raw-config.ts";
import { until } from "./until.ts";

export interface ServeProcess {
  /** Such as `http://127.0.0.1:4711`. */
  readonly url: string;
  readonly command: RunningCommand;
}

export interface ServeOptions {
  readonly folder: Folder;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absent = a free one. */
  readonly port?: number;
}

export async function serveFolder(config: RawConfig): Promise<Folder> {
  return await aFolder({ "countersign.config.json": JSON.stringify(config) });
}

/** Resolves once it listens. */
export async function startServe({ folder, environment, port = 0 }: ServeOptions): Promise<ServeProcess> {
  const command = startCommand(["serve", "--port", String(port)], { cwd: folder.path, environment });
  await command.says("Listening on http");
  const url = await until("it says where", () => /Listening on (http\S+)/u.exec(command.stderr())?.[1]);
  return { url, command };
}
