import { standingGates } from "../scenarios/standing-gates.ts";
import { prove } from "../support/prove.ts";

prove("Held endpoints whose workers and Temporal server are killed", standingGates, 5);
