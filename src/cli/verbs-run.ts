/** The verbs that run something or look after it. Commands are loaded when they run, so that help and `listen` start at once. */
import type { Command } from "commander";
import type { DevCommand } from "./commands/dev.ts";
import type { ListenCommand } from "./commands/listen.ts";
import type { ServeCommand } from "./commands/serve.ts";
import type { WorkerCommand } from "./commands/worker.ts";
import { collectValue, parseNames, parsePort } from "./option-values.ts";
import type { Perform, WithJson } from "./perform.ts";

const TEMPORAL_PORT = 7233;
const SERVE_PORT = 8787;
/** Beside the HTTP API. */
const LISTEN_PORT = 8790;

export function addRunVerbs(program: Command, perform: Perform): void {
  addProcessVerbs(program, perform);
  addToolVerbs(program, perform);
}

function addProcessVerbs(program: Command, perform: Perform): void {
  program
    .command("dev")
    .description("everything in one process on 127.0.0.1: a Temporal server with its UI, a worker, and the HTTP API")
    .option("--data <dir>", "keep the server's data in this folder (default: in memory)")
    .option("--port <port>", "port of the Temporal server", parsePort, TEMPORAL_PORT)
    .option("--ui-port <port>", "port of the Temporal UI (default: 1000 above)", parsePort)
    .option(
      "--http-port <port>",
      `port of the HTTP API, 0 for a free one (default: ${SERVE_PORT}, if it is free)`,
      parsePort,
    )
    .action(async (options: DevCommand & WithJson) => {
      await perform("dev", options, async (context) => await (await import("./commands/dev.ts")).dev(context, options));
    });

  program
    .command("worker")
    .description("run event workflows and deliver to every endpoint that is not isolated")
    .option("--only <endpoints>", "deliver only to these endpoints and run no workflows: a,b", parseNames)
    .option("--metrics-port <port>", "serve /metrics and /healthz on this port, 0 for a free one", parsePort)
    .option("--metrics-host <address>", "address to serve them on; 0.0.0.0 for all", "127.0.0.1")
    .action(async (options: WorkerCommand & WithJson) => {
      await perform(
        "worker",
        options,
        async (context) => await (await import("./commands/worker.ts")).worker(context, options),
      );
    });

  program
    .command("serve")
    .description("the HTTP API: events from your producers and from providers, decisions, lists, metrics")
    .option("--host <address>", "address to listen on; 0.0.0.0 for all", "127.0.0.1")
    .option("--port <port>", "port to listen on, 0 for a free one", parsePort, SERVE_PORT)
    .action(async (options: ServeCommand & WithJson) => {
      await perform(
        "serve",
        options,
        async (context) => await (await import("./commands/serve.ts")).serve(context, options),
      );
    });
}

function addToolVerbs(program: Command, perform: Perform): void {
  program
    .command("listen")
    .description("a local destination that shows each request, verifies its signature and answers as told")
    .option("--port <port>", "port to listen on, 0 for a free one", parsePort, LISTEN_PORT)
    .option(
      "--answer <list>",
      "answers one after the other, the last one for ever: 503:2,200 (Retry-After 2), cut, hang",
    )
    .option("--secret <whsec>", "verify Standard Webhooks signatures with it; may be given several times", collectValue)
    .option("--json", "one line of JSON per request")
    .action(async (options: ListenCommand & WithJson) => {
      await perform(
        "listen",
        options,
        async (context) => await (await import("./commands/listen.ts")).listen(context, options),
      );
    });

  program
    .command("doctor")
    .description("check the configuration, the environment, the Temporal server and its workers")
    .option("--json", "print JSON")
    .action(async (options: WithJson) => {
      await perform("doctor", options, async (context) => await (await import("./commands/doctor.ts")).doctor(context));
    });
}
