import { sharedRetryAfter } from "../scenarios/shared-retry-after.ts";
import { prove } from "../support/prove.ts";

prove("A Retry-After that holds for everybody who sends to the endpoint", sharedRetryAfter, 12);
