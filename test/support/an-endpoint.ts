/** An endpoint as the client shows it in detail, for tests of what is made of that. */
import type { EndpointDetail } from "../../src/client/endpoint-detail.ts";

const AN_ENDPOINT: EndpointDetail = {
  name: "crm",
  destination: "https://crm.example/hook",
  isolated: false,
  idempotent: true,
  inProgress: 3,
  awaitingApproval: 1,
  needsAttention: 2,
  delivered: 10,
  gate: { state: "open", until: null, probing: false, ramping: false, who: null, why: null, since: null },
  lane: { held: 0, oldestAgeMs: null, approximate: true, ratePerSecond: null, pollers: 0 },
  workers: 2,
  inFlight: 0,
  ledger: [],
};

export function anEndpoint(
  changes: Partial<Omit<EndpointDetail, "gate" | "lane">> & {
    readonly gate?: Partial<EndpointDetail["gate"]>;
    readonly lane?: Partial<EndpointDetail["lane"]>;
  } = {},
): EndpointDetail {
  const { gate, lane, ...rest } = changes;
  return { ...AN_ENDPOINT, ...rest, gate: { ...AN_ENDPOINT.gate, ...gate }, lane: { ...AN_ENDPOINT.lane, ...lane } };
}
