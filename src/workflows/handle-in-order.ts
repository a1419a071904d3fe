/** Signals of several names, handed over in the order in which they came, also those that waited for a worker. */
import { defineSignal, patched, setDefaultSignalHandler, setHandler } from "@temporalio/workflow";

export interface NamedSignal {
  readonly definition: { readonly name: string };
  /** What the Temporal UI offers a person. */
  readonly description?: string;
  /** Absent = it goes to `others`. */
  readonly handle?: (argument: unknown) => void;
}

interface Waiting {
  readonly name: string;
  readonly argument: unknown;
}

/** Runs of before took what had waited name by name, which is how the SDK hands it to handlers that are set one by one. */
const IN_ORDER = "signals-in-order";

/** Registers them all. `others` gets what has no handler of its own; absent = it changes nothing, for anybody may signal. */
export function handleInOrder(
  signals: readonly NamedSignal[],
  others: (name: string, argument: unknown) => void = () => undefined,
): void {
  const names = signals.map(({ definition }) => definition.name);
  const byName = new Map(signals.map(({ definition, handle }) => [definition.name, handle]));
  const handle = (name: string, argument: unknown): void => {
    const own = byName.get(name);
    if (own === undefined) others(name, argument);
    else own(argument);
  };
  const waiting = takeWaiting();
  setDefaultSignalHandler(handle);
  for (const { definition, description } of signals) {
    const signal = defineSignal<[unknown]>(definition.name);
    setHandler(signal, (argument) => handle(signal.name, argument), description === undefined ? {} : { description });
  }
  const isMixed = new Set(waiting.map(({ name }) => name)).size > 1;
  // Asked only where it makes a difference: a patch costs events.
  for (const one of isMixed && !patched(IN_ORDER) ? nameByName(waiting, names) : waiting)
    handle(one.name, one.argument);
}

/** A handler for all gets what has waited at once, and in order. */
function takeWaiting(): readonly Waiting[] {
  const waiting: Waiting[] = [];
  setDefaultSignalHandler((name, argument) => void waiting.push({ name, argument }));
  return waiting;
}

function nameByName(waiting: readonly Waiting[], names: readonly string[]): readonly Waiting[] {
  const rank = ({ name }: Waiting): number => (names.includes(name) ? names.indexOf(name) : names.length);
  return waiting.toSorted((left, right) => rank(left) - rank(right));
}
