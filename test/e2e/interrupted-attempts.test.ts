import { interruptions } from "../scenarios/interruptions.ts";
import { prove } from "../support/prove.ts";

prove("messages in the middle of a local attempt", interruptions, 3);
