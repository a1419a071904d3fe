/**
 * The other system: an HTTP server that does its work once per idempotency key.
 *
 * The first request with a key has an effect and stores a receipt; any further one gets that receipt. This is what
 * "once in effect" asks of a receiver.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type FirstAnswer, RETRY_AFTER_S } from "./answers.ts";

/** What the destination saw of one request; times are milliseconds of its own monotonic clock. */
export interface SeenRequest {
  readonly path: string;
  readonly idempotencyKey: string;
  readonly arrivedMs: number;
  /** When the answer was handed to the socket, or the connection was cut; null = never answered. */
  readonly answeredMs: number | null;
  readonly answer: string;
}

export interface Destination {
  readonly url: string;
  requests(): readonly SeenRequest[];
  /** How often the work was done, by idempotency key. */
  effects(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

/** First requests to this path are met as `--answer` says. */
export const MOODY_PATH = "/crm";
/** The first answer from this path is lost after the work was done. */
export const CUT_PATH = "/ledger";
/** Money goes out here: a person must approve first. */
export const REFUND_PATH = "/payments";

export async function startDestination(firstAnswer: FirstAnswer): Promise<Destination> {
  const requests: SeenRequest[] = [];
  const effects = new Map<string, number>();
  const receipts = new Map<string, string>();
  const work = (key: string): string => {
    effects.set(key, (effects.get(key) ?? 0) + 1);
    const receipt = JSON.stringify({ receipt: `receipt-${receipts.size + 1}` });
    receipts.set(key, receipt);
    return receipt;
  };
  const server = createServer((request, response) => {
    const arrivedMs = performance.now();
    request.resume();
    request.once("end", () => {
      const idempotencyKey = keyOf(request);
      const path = request.url ?? "/";
      const isFirst = !requests.some((seen) => seen.path === path && seen.idempotencyKey === idempotencyKey);
      const stored = receipts.get(idempotencyKey);
      const how = answerFor({ path, isFirst, firstAnswer, stored, work: () => work(idempotencyKey) });
      give(response, how);
      const answeredMs = how.do === "hang" ? null : performance.now();
      requests.push({ path, idempotencyKey, arrivedMs, answeredMs, answer: how.says });
    });
  });
  const url = await listen(server);
  return {
    url,
    requests: () => requests,
    effects: () => Object.fromEntries(effects),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Answer =
  | {
      readonly do: "answer";
      readonly says: string;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly do: "cut"; readonly says: string }
  | { readonly do: "hang"; readonly says: string };

interface Asked {
  readonly path: string;
  readonly isFirst: boolean;
  readonly firstAnswer: FirstAnswer;
  /** The receipt of an earlier request with this key. */
  readonly stored: string | undefined;
  work(): string;
}

function answerFor({ path, isFirst, firstAnswer, stored, work }: Asked): Answer {
  if (path === MOODY_PATH && isFirst) return badMood(firstAnswer);
  if (stored !== undefined)
    return { do: "answer", says: "200, the stored receipt", status: 200, headers: {}, body: stored };
  const receipt = work();
  if (path === CUT_PATH && isFirst) return { do: "cut", says: "work done, connection cut" };
  return { do: "answer", says: "200", status: 200, headers: {}, body: receipt };
}

function badMood(firstAnswer: FirstAnswer): Answer {
  switch (firstAnswer) {
    case "503":
    case "429": {
      const headers = { "retry-after": String(RETRY_AFTER_S) };
      return {
        do: "answer",
        says: `${firstAnswer}, Retry-After: ${RETRY_AFTER_S}`,
        status: Number(firstAnswer),
        headers,
        body: "",
      };
    }
    case "400":
      return { do: "answer", says: "400", status: 400, headers: {}, body: "" };
    case "timeout":
      return { do: "hang", says: "no answer" };
  }
}

function give(response: ServerResponse, how: Answer): void {
  switch (how.do) {
    case "answer":
      response.writeHead(how.status, { "content-type": "application/json", ...how.headers }).end(how.body);
      return;
    case "cut":
      response.destroy();
      return;
    case "hang":
      return;
  }
}

function keyOf(request: IncomingMessage): string {
  const key = request.headers["idempotency-key"];
  return typeof key === "string" ? key : "";
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  return `http://127.0.0.1:${port}`;
}
