/** The `circuit` of an endpoint: `false`, or an object that is merged with the defaults. */
import { z } from "zod";
import { SECOND_MS } from "../delivery/durations.ts";
import { type CircuitSettings, DEFAULT_CIRCUIT } from "../delivery/gates/circuit.ts";
import { choose, strictShape } from "./accept.ts";
import { duration } from "./duration.ts";
import { number, whole } from "./scalars.ts";

const interval = duration("a duration of at least 1 s, such as '30s'", { minMs: SECOND_MS });

const circuitObject = strictShape("false, or an object", {
  failures: whole(1, 1_000_000).default(DEFAULT_CIRCUIT.failures),
  share: number("a share from 0 to 1", { min: 0, max: 1 }).default(DEFAULT_CIRCUIT.share),
  window: interval.default(DEFAULT_CIRCUIT.windowMs),
  minimum: whole(1, 1_000_000).default(DEFAULT_CIRCUIT.minimum),
  open: interval.default(DEFAULT_CIRCUIT.openMs),
  probes: whole(1, 1000).default(DEFAULT_CIRCUIT.probes),
}).transform(({ window: windowMs, open: openMs, ...rest }): CircuitSettings => ({ ...rest, windowMs, openMs }));

/** Null = off. */
export const circuit = choose<CircuitSettings | null>((value) =>
  value === false ? z.literal(false).transform(() => null) : circuitObject,
);
