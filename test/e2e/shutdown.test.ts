import { shutdown } from "../scenarios/shutdown.ts";
import { prove } from "../support/prove.ts";

prove("SIGTERM to a worker with requests in flight", shutdown, 2);
