import { temporalOutage } from "../scenarios/temporal-outage.ts";
import { prove } from "../support/prove.ts";

prove("Temporal away for a while, in seconds", temporalOutage, 20);
