/** A connection for the length of one command. */
import type { ConnectedCountersign } from "../client/connect.ts";
import type { Config } from "../config/config.ts";
import type { CliContext } from "./context.ts";
import { LOOPBACK } from "./loopback.ts";
import { withSpinner } from "./spinner.ts";

type Work<Result> = (countersign: ConnectedCountersign, config: Config) => Promise<Result>;

/** Loads the configuration, connects, works, closes. Throws what `loadConfig` and `connect` throw. */
export async function withClient<Result>(context: CliContext, work: Work<Result>): Promise<Result> {
  return await withClientOf(context, await clientConfig(context), work);
}

/** The configuration of a command that delivers nothing. */
export async function clientConfig(context: CliContext): Promise<Config> {
  return await context.config({ alsoAllowPrivate: LOOPBACK });
}

/** The same with a configuration that is loaded already. */
export async function withClientOf<Result>(context: CliContext, config: Config, work: Work<Result>): Promise<Result> {
  const { connect } = await import("../client/connect.ts");
  const { environment, terminal } = context;
  const countersign = await withSpinner(
    terminal,
    "Connecting to Temporal",
    async () => await connect({ config, environment }),
  );
  try {
    return await work(countersign, config);
  } finally {
    await countersign.close();
  }
}
