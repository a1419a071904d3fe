import { endpointOutage } from "../scenarios/endpoint-outage.ts";
import { prove } from "../support/prove.ts";

const scenario = endpointOutage({ perSecond: 8, share: 0.2, openS: 4 });

prove("An endpoint that is down under steady traffic, and recovers", scenario, 20);
