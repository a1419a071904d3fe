import { bulkReplay } from "../scenarios/bulk-replay.ts";
import { prove } from "../support/prove.ts";

prove("A mass replay in whose middle its worker and the Temporal server are killed", bulkReplay, 50);
