/** What every verb of the facade works with. */
import type { Client } from "@temporalio/client";
import type { Config } from "../config/config.ts";

export interface Session {
  readonly client: Client;
  readonly config: Config;
  /** True only where a worker of this process shares the connection: then starts may be eager. */
  readonly eager: boolean;
  /** Makes sure, once, that this namespace can take our starts. */
  ready(): Promise<void>;
}

/** One call to the server; a server that hangs must not hang its caller. */
const CALL_DEADLINE_MS = 10_000;

export async function withDeadline<T>(session: Session, call: () => Promise<T>, deadlineMs = CALL_DEADLINE_MS): Promise<T> {
  return await session.client.withDeadline(Date.now() + deadlineMs, call);
}
