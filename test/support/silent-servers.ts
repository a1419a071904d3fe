/** Servers that misbehave below Temporal: one that never answers, one that refuses every gRPC call. */
import { createServer as createHttp2Server, type Http2Session } from "node:http2";
import { createServer, type Server, type Socket } from "node:net";

export interface BadServer {
  /** `127.0.0.1:port`. */
  readonly address: string;
  readonly close: () => Promise<void>;
}

/** Accepts connections and says nothing. */
export async function startSilentServer(): Promise<BadServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  return listen(server, () => sockets.forEach((socket) => socket.destroy()));
}

/** Answers each gRPC call with the status its method name (last path segment) is given. */
export async function startRefusingServer(statusOf: (method: string) => number): Promise<BadServer> {
  const sessions = new Set<Http2Session>();
  const server = createHttp2Server();
  server.on("session", (session) => sessions.add(session));
  server.on("stream", (stream, headers) => {
    const method = String(headers[":path"]).split("/").at(-1) ?? "";
    stream.on("error", () => undefined);
    stream.respond(
      {
        ":status": 200,
        "content-type": "application/grpc",
        "grpc-status": String(statusOf(method)),
        "grpc-message": "refused",
      },
      { endStream: true },
    );
  });
  return listen(server, () => sessions.forEach((session) => session.destroy()));
}

async function listen(server: Server, endAll: () => void): Promise<BadServer> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const close = (): Promise<void> => {
    endAll();
    return new Promise((resolve) => {
      server.close(() => resolve());
    });
  };
  return { address: `127.0.0.1:${port}`, close };
}
