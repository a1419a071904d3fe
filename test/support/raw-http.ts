/** HTTP by hand over one socket: for requests that no client library would send. */
import { connect, type Socket } from "node:net";
import { once } from "node:events";

export interface RawConnection {
  readonly socket: Socket;
  /** Everything received so far. */
  received(): string;
  send(text: string | Uint8Array): void;
  /** Resolves with everything received once the other side has closed. */
  readonly closed: Promise<string>;
  /** Whether the other side has cut it, which a client that reads nothing sees only by writing: an empty line, which is no request. */
  isCut(): boolean;
}

export async function rawConnection(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1"))).on("error", () => undefined);
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(received)));
  await once(socket, "connect");
  return {
    socket,
    received: () => received,
    send: (text) => void socket.write(text),
    closed,
    isCut() {
      if (!socket.destroyed) socket.write("\r\n");
      return socket.destroyed;
    },
  };
}

/** The start line and headers of a request, and its body if there is one. */
export function rawRequest(path: string, headers: Readonly<Record<string, string>> = {}, body = ""): string {
  const lines = Object.entries({ host: "127.0.0.1", ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `POST ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}
