import { kills } from "../scenarios/kills.ts";
import { prove } from "../support/prove.ts";

prove("workers killed in the middle of everything", kills, 1);
