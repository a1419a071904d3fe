import { waiting } from "../scenarios/waiting.ts";
import { prove } from "../support/prove.ts";

prove("many proposals that wait", waiting, 100);
