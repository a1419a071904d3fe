/** A Temporal server as seen through somebody who counts its calls, and may answer some of them in its place. */
import { connect, createServer, type Http2Session, type ServerHttp2Stream, type IncomingHttpHeaders } from "node:http2";
import type { AddressInfo } from "node:net";

export interface TemporalProxy {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** Last path segment of each call, in order, those included that were not passed on. */
  readonly calls: readonly string[];
  /** The next `times` calls of this method, all from now on where absent, are answered with a gRPC status instead; null = passed on again. */
  answer(method: string, status: number | null, times?: number): void;
  close(): Promise<void>;
}

export async function startTemporalProxy(to: string): Promise<TemporalProxy> {
  const calls: string[] = [];
  const answers = new Map<string, { readonly status: number | null; times: number }>();
  const far = connect(`http://${to}`);
  const sessions = new Set<Http2Session>();
  const server = createServer()
    .on("session", (session) => sessions.add(session))
    .on("stream", (stream, headers) => {
      const method = String(headers[":path"]).split("/").at(-1) ?? "";
      calls.push(method);
      stream.on("error", () => undefined);
      const scripted = answers.get(method);
      const status = scripted !== undefined && scripted.times > 0 ? scripted.status : null;
      if (scripted !== undefined) scripted.times -= 1;
      if (status === null) passOn(stream, headers);
      else
        stream.respond(
          { ":status": 200, "content-type": "application/grpc", "grpc-status": String(status) },
          { endStream: true },
        );
    });
  /** gRPC says how a call went in trailers, which have to be asked for before the body ends. */
  const passOn = (near: ServerHttp2Stream, headers: IncomingHttpHeaders): void => {
    const call = far.request(headers);
    let trailers: IncomingHttpHeaders = {};
    call
      .on("error", () => near.destroy())
      .on("trailers", (received) => (trailers = received))
      .on("response", (received, flags) => {
        const endStream = (flags & END_STREAM) !== 0;
        near.respond(received, { endStream, waitForTrailers: !endStream });
        if (!endStream) call.pipe(near);
      });
    near.on("wantTrailers", () => near.sendTrailers(trailers)).on("close", () => call.close());
    near.pipe(call);
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  return {
    address: `127.0.0.1:${port}`,
    calls,
    answer: (method, status, times = Infinity) => void answers.set(method, { status, times }),
    async close() {
      for (const session of sessions) session.destroy();
      far.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** RFC 9113, section 6.2. */
const END_STREAM = 0x1;
