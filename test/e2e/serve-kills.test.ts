import { serverKills } from "../scenarios/server-kills.ts";
import { prove } from "../support/prove.ts";

prove("the HTTP server killed under load", serverKills, 100);
