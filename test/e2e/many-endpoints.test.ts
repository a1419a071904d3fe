import { manyEndpoints } from "../scenarios/many-endpoints.ts";
import { prove } from "../support/prove.ts";

prove("one process that serves very many endpoints", manyEndpoints, 200);
