/** The version of this package, as requests and the command line show it. */
import manifest from "../package.json" with { type: "json" };

export const VERSION = manifest.version;
export const USER_AGENT = `countersign/${VERSION}`;
