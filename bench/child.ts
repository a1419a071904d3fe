/** A script of the benchmark as a process of its own, which answers the questions of the one that started it. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** What a child can be asked, by name; arguments and answers are plain JSON. */
export type Skills = Readonly<Record<string, (argument: never) => unknown>>;

export interface Child<S extends Skills> {
  /** Rejects with the child's own message, or when the child ends first. */
  ask<Name extends keyof S & string>(
    name: Name,
    argument: Parameters<S[Name]>[0],
  ): Promise<Awaited<ReturnType<S[Name]>>>;
  /** The same promise, but rejects when the child ends first. */
  whileUp<T>(work: Promise<T>): Promise<T>;
  /** Closes the channel, upon which the child leaves; resolves when it has. */
  stop(): Promise<void>;
}

interface Question {
  readonly number: number;
  readonly name: string;
  readonly argument: unknown;
}

interface Reply {
  readonly number: number;
  readonly answer?: unknown;
  readonly failure?: string;
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** Number of the reply that nobody asked for: the child is ready. */
const READY = 0;
/** A worker whose server is gone with the parent may never come to an end. */
const LEAVE_WITHIN_MS = 20_000;

/** Starts the script with one JSON argument; resolves once it has called `answerParent`. */
export async function startChild<S extends Skills>(script: URL, argument: unknown): Promise<Child<S>> {
  const forked = fork(fileURLToPath(script), [JSON.stringify(argument)], {
    env: withoutTemporal(process.env),
    // Standard output belongs to the report.
    stdio: ["ignore", 2, 2, "ipc"],
  });
  const exited = once(forked, "exit");
  const waiting = new Map<number, Waiting>();
  forked.on("message", (message) => settle(waiting, message as Reply)); // sent by `answerParent` alone
  const died = exited.then(([code, signal]): never => {
    throw new Error(`${fileURLToPath(script)} ended (${String(signal ?? code)}) although it was needed`);
  });
  died.catch(() => undefined);
  const whileUp = <T>(work: Promise<T>): Promise<T> => Promise.race([work, died]);
  const replyTo = (number: number): Promise<unknown> =>
    whileUp(new Promise((resolve, reject) => waiting.set(number, { resolve, reject })));
  await replyTo(READY);
  let asked = READY;
  return {
    async ask(name, request) {
      asked += 1;
      const reply = replyTo(asked);
      // A channel that has just broken is reported by the exit.
      forked.send({ number: asked, name, argument: request } satisfies Question, () => undefined);
      return (await reply) as never; // the other end has the same `Skills`
    },
    whileUp,
    async stop() {
      if (forked.connected) forked.disconnect();
      await exited;
    },
  };
}

function settle(waiting: Map<number, Waiting>, { number, answer, failure }: Reply): void {
  const entry = waiting.get(number);
  waiting.delete(number);
  if (failure === undefined) entry?.resolve(answer);
  else entry?.reject(new Error(failure));
}

/** The child's end. `close` runs when the parent stops it or is gone; then the process leaves. */
export function answerParent(skills: Skills, close: () => Promise<void>): void {
  const send = (reply: Reply): void => {
    if (process.connected) process.send?.(reply);
  };
  process.on("message", (message) => {
    const { number, name, argument } = message as Question; // sent by `startChild` alone
    const answering = Promise.resolve().then(() => skills[name]?.(argument as never));
    answering.then(
      (answer) => send({ number, answer }),
      (error: unknown) =>
        send({ number, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.once("disconnect", () => {
    setTimeout(() => process.exit(1), LEAVE_WITHIN_MS).unref();
    void close().finally(() => process.exit());
  });
  send({ number: READY });
}

/** The server is the benchmark's own, whatever this shell's environment names. */
function withoutTemporal(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("TEMPORAL_")));
}
