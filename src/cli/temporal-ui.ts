/** Where a run can be looked at in the Temporal UI, when that is known. */
import { connect } from "node:net";
import type { Config } from "../config/config.ts";
import { readConnectionProfile } from "../temporal/connection-profile.ts";
import type { Environment } from "./context.ts";

/** The Temporal CLI's own rule for its development server. */
const UI_PORT_OFFSET = 1000;
const PROBE_MS = 200;

/**
 * The page of a run; null when nobody told and nothing answers where a development server has its UI.
 *
 * COUNTERSIGN_TEMPORAL_UI names the UI of any other server, such as `https://temporal.example`.
 */
export async function runUrl(config: Config, environment: Environment, key: string): Promise<string | null> {
  const { address, namespace } = readConnectionProfile({ temporal: config.temporal, environment });
  const named = environment["COUNTERSIGN_TEMPORAL_UI"] ?? "";
  const base = named === "" ? await devServerUi(address) : named.replace(/\/+$/, "");
  return base === null ? null : runPage(base, namespace, key);
}

export function runPage(base: string, namespace: string, key: string): string {
  return `${base}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(key)}`;
}

async function devServerUi(address: string): Promise<string | null> {
  const match = /^(127(?:\.\d{1,3}){3}|localhost):(\d{1,5})$/.exec(address);
  const port = Number(match?.[2]) + UI_PORT_OFFSET;
  if (match?.[1] === undefined || port > 65_535) return null;
  return (await answers(match[1], port)) ? `http://${match[1]}:${port}` : null;
}

async function answers(host: string, port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port, timeout: PROBE_MS });
    const end = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket
      .once("connect", () => end(true))
      .once("error", () => end(false))
      .once("timeout", () => end(false));
  });
}
