import { takeover } from "../scenarios/takeover.ts";
import { prove } from "../support/prove.ts";

prove("a lane after its process was killed", takeover, 2);
