/** The version of this package, as requests and the command line show it. */
import { readFileSync } from "node:fs";

/** The manifest lies one folder up, seen from the sources as from the build; always written by npm, so it is trusted. */
const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};

export const VERSION = manifest.version;
export const USER_AGENT = `countersign/${VERSION}`;
