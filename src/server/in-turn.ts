/**
 * The requests of one connection, one after the other.
 *
 * Whoever sends a thousand requests at once and reads no answer would otherwise have a thousand answers kept for
 * them; like this it is one, and the rest of the requests waits where it is.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

export interface Turns {
  /** Begins once every earlier request of the connection has been answered; a connection with too many is cut. */
  take(request: IncomingMessage, response: ServerResponse, begin: () => void): void;
  /** Whether a request of this connection has been taken and not been answered. */
  isBusy(socket: Duplex): boolean;
  /**
   * For what came on the connection and is no request: at once, or after the answers to all requests that are
   * complete, so that nobody takes it for the answer to one of them. Nothing else begins after that.
   */
  afterAnswers(socket: Duplex, end: () => void): void;
}

interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  begin(): void;
}

interface Line {
  /** The first one is being answered. */
  readonly turns: Turn[];
  end: (() => void) | null;
}

/** No client and no proxy sends as many without reading an answer. */
const MAX_WAITING = 64;

export function createTurns(): Turns {
  const lines = new WeakMap<Duplex, Line>();
  const beginFirst = (line: Line, socket: Duplex): void => {
    const [first] = line.turns;
    if (socket.destroyed) return;
    if (first === undefined || (line.end !== null && !first.request.complete)) return line.end?.();
    first.response.once("close", () => {
      line.turns.shift();
      beginFirst(line, socket);
    });
    first.begin();
  };
  return {
    take(request, response, begin) {
      const { socket } = request;
      const line = lines.get(socket) ?? { turns: [], end: null };
      lines.set(socket, line);
      if (line.turns.push({ request, response, begin }) > MAX_WAITING) socket.destroy();
      else if (line.turns.length === 1) beginFirst(line, socket);
    },
    isBusy: (socket) => (lines.get(socket)?.turns.length ?? 0) > 0,
    afterAnswers(socket, end) {
      const line = lines.get(socket);
      const first = line?.turns[0];
      if (line === undefined || first === undefined || !first.request.complete) return end();
      line.end ??= end;
    },
  };
}
