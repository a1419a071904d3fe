/** Opens connections to vetted addresses only, within the connect deadline. */
import type { LookupAddress } from "node:dns";
import { lookup as dnsLookup } from "node:dns/promises";
import type { LookupFunction, Socket } from "node:net";
import { buildConnector } from "undici";
import type { Permits } from "./address-rule.ts";
import { BLOCKED_ADDRESS } from "./failure-code.ts";

/** All addresses of a name, in the order to try them. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface ConnectorOptions {
  /** Over DNS, TCP and TLS together. */
  readonly connectMs: number;
  readonly permits: Permits;
  readonly resolve: Resolve;
  /** PEM; absent = the certificate authorities Node trusts. */
  readonly ca?: string | undefined;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Node's own 250 ms gives a distant first address up too early when a name has several. */
const MIN_ADDRESS_ATTEMPT_MS = 250;

export const resolveBySystem: Resolve = (hostname) => dnsLookup(hostname, { all: true });

/**
 * Asks once for a name that several connections want at the same moment.
 *
 * The system's resolver occupies one of Node's few worker threads while it
 * waits, so that one name with a dead name server could take them all.
 */
export function sharingLookups(resolve: Resolve): Resolve {
  const running = new Map<string, ReturnType<Resolve>>();
  return (hostname) => {
    const shared = running.get(hostname) ?? resolve(hostname).finally(() => running.delete(hostname));
    running.set(hostname, shared);
    return shared;
  };
}

/**
 * A connector for one rule.
 *
 * The lookup hands the socket the very addresses it has vetted, and the
 * connected peer is judged once more before a byte is written: no second
 * resolution can slip between check and use.
 */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const { permits, ca } = options;
  const connectMs = Math.min(options.connectMs, MAX_TIMER_MS);
  const connect = buildConnector({
    timeout: connectMs,
    allowH2: false,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.max(MIN_ADDRESS_ATTEMPT_MS, Math.floor(connectMs / 4)),
    lookup: pinnedLookup(options),
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED has no say here.
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  });
  return (target, callback) => {
    connect(target, (error, socket) => {
      if (error !== null) return callback(error, null);
      const problem = peerProblem(socket, permits);
      if (problem === null) return callback(null, socket);
      socket.destroy();
      callback(problem, null);
    });
  };
}

function peerProblem({ destroyed, remoteAddress: address }: Socket, permits: Permits): Error | null {
  // Handed on, a broken socket would make undici connect again and again.
  if (destroyed || address === undefined)
    return codedError("ECONNRESET", "The peer left while the connection was being made");
  return permits(address) ? null : blockedAddress();
}

/** A DNS lookup that refuses the name when any of its addresses is refused: a mixed answer is an attack or a mistake. */
export function pinnedLookup({ permits, resolve }: Pick<ConnectorOptions, "permits" | "resolve">): LookupFunction {
  return (hostname, { all }, callback) => {
    const answer = (addresses: readonly LookupAddress[]): void => {
      const [first] = addresses;
      if (first === undefined) return callback(codedError("ENOTFOUND", "The name has no address"), []);
      if (!addresses.every(({ address }) => permits(address))) return callback(blockedAddress(), []);
      if (all === true) return callback(null, [...addresses]);
      callback(null, first.address, first.family);
    };
    resolve(hostname).then(answer, (error: unknown) => callback(asError(error), []));
  };
}

function blockedAddress(): NodeJS.ErrnoException {
  return codedError(BLOCKED_ADDRESS, "The address is not public and no allowPrivate entry covers it");
}

function asError(error: unknown): NodeJS.ErrnoException {
  return error instanceof Error ? error : codedError("EAI_FAIL", "The name could not be resolved");
}

/** Node's convention for errors that travel through sockets; never leaves this folder. */
function codedError(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code });
}
