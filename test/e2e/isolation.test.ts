import { isolation } from "../scenarios/isolation.ts";
import { prove } from "../support/prove.ts";

prove("a hanging endpoint beside a quick one", isolation, 9);
