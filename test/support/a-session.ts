/** A session, for tests that call what stands behind the facade. */
import type { Client } from "@temporalio/client";
import type { Session } from "../../src/client/session.ts";
import type { Config } from "../../src/config/config.ts";

/** On a namespace that has what it needs; nothing starts eagerly. */
export function aSession(client: Client, config: Config): Session {
  return { client, config, eager: false, prepared: async () => {}, ready: async () => ({ eager: false }) };
}
