import { approvals } from "../scenarios/approvals.ts";
import { prove } from "../support/prove.ts";

prove("decisions while workers are killed", approvals, 2);
