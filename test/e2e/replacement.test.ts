import { replacement } from "../scenarios/replacement.ts";
import { prove } from "../support/prove.ts";

prove("a deploy that replaces every worker", replacement, 1);
