import { pausedEndpoint } from "../scenarios/paused-endpoint.ts";
import { prove } from "../support/prove.ts";

prove("An endpoint that is paused while events come in", pausedEndpoint, 50);
