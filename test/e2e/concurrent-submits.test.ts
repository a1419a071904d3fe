import { concurrentSubmits } from "../scenarios/concurrent-submits.ts";
import { prove } from "../support/prove.ts";

prove("two producers at once", concurrentSubmits, 50);
