/** The destination, in a process of its own so that its work is not counted: answers at once, later, or not yet. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerParent } from "./child.ts";

export type DestinationSkills = {
  readonly url: (argument: null) => string;
  /** From now on requests to `/neighbor` get no answer. */
  readonly hold: (argument: null) => void;
  /** How many requests wait for an answer. */
  readonly held: (argument: null) => number;
  /** Answers them all, and later ones at once. */
  readonly release: (argument: null) => void;
};

/** Keys whose first request was answered with 503. */
const turnedAway = new Set<string>();
const held = new Set<ServerResponse>();
let holding = false;

function answer(request: IncomingMessage, response: ServerResponse): void {
  if (request.url === "/neighbor" && holding) held.add(response);
  else response.writeHead(statusFor(request)).end("ok");
}

function statusFor({ url, headers }: IncomingMessage): number {
  const key = String(headers["idempotency-key"]);
  if (url !== "/once-503" || turnedAway.has(key)) return 200;
  turnedAway.add(key);
  return 503;
}

function release(): void {
  holding = false;
  for (const response of held) response.writeHead(200).end("ok");
  held.clear();
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  response.once("close", () => held.delete(response));
  request.resume().once("end", () => answer(request, response));
});

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  const skills: DestinationSkills = {
    url: () => `http://127.0.0.1:${port}`,
    hold: () => void (holding = true),
    held: () => held.size,
    release,
  };
  answerParent(skills, async () => await Promise.resolve(server.closeAllConnections()));
});
