/** The check of `--delivery` before anything is said. */
import type { EventReport } from "../client/get-event.ts";
import { CountersignError } from "../errors.ts";
import { safeText } from "./safe-text.ts";

/** Throws `bad_argument` for one that the event does not have; while its deliveries are not known, the workflow judges. */
export function requireDelivery({ key, deliveries }: EventReport, named: string | undefined): void {
  const known = deliveries.map(({ endpoint }) => endpoint);
  if (named === undefined || known.length === 0 || known.includes(named)) return;
  throw new CountersignError(
    "bad_argument",
    `--delivery ${JSON.stringify(safeText(named))} is no delivery of ${safeText(key)}, nothing was said; it goes to: ${known.join(", ")}.`,
  );
}
