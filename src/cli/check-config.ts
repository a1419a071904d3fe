/** What `doctor` sees in a configuration without asking anybody. */
import { counted } from "../delivery/counted.ts";
import type { Config, Endpoint, Reference } from "../config/config.ts";
import { isEnvReference } from "../config/reference.ts";
import { endpointVariables, resolveEndpoint } from "../config/resolve-endpoint.ts";
import { isCountersignError } from "../errors.ts";
import { type Check, fail, ok, warn } from "./check.ts";
import type { Environment } from "./context.ts";
import { EXIT } from "./exit-code.ts";

export function checkConfig(config: Config, environment: Environment): readonly Check[] {
  const endpoints = Object.values(config.endpoints);
  const routed = new Set(config.routes.flatMap(({ to, approval }) => [...to, approval?.notify ?? null]));
  const counts = [
    counted(endpoints.length, "endpoint"),
    counted(config.routes.length, "route"),
    counted(Object.keys(config.sources).length, "source"),
  ];
  return [
    ok("configuration", `${config.path ?? "given as an object"}: ${counts.join(", ")}`),
    ...(endpoints.length === 0
      ? [warn("configuration", "there is no endpoint, so nothing can be delivered: add one to endpoints")]
      : []),
    ...(Object.keys(config.sources).length === 0
      ? [warn("configuration", "there is no source, so nothing can be accepted: add one to sources")]
      : []),
    ...checkApprovals(config),
    ...endpoints.flatMap((endpoint) => [
      checkReferences(endpoint, environment),
      ...literalSecrets(endpoint),
      ...(routed.has(endpoint.name)
        ? []
        : [warn(`endpoint ${endpoint.name}`, "no route leads to it: add it to the `to` of a route")]),
    ]),
  ];
}

/** The configuration itself is refused when an approval cannot come about; this is what it may mean to leave open. */
function checkApprovals({ routes, people }: Config): readonly Check[] {
  const asking = routes.flatMap(({ approval }, index) => (approval === null ? [] : [{ index, approval }]));
  const everybody = Object.values(people);
  if (asking.length === 0 && everybody.length === 0) return [];
  const signers = everybody.filter(({ publicKey }) => publicKey !== null).length;
  const asks = `${counted(asking.length, "route")} ${asking.length === 1 ? "asks" : "ask"} for approval`;
  const persons = `${everybody.length} ${everybody.length === 1 ? "person" : "people"}, ${signers} with a key`;
  const open = asking.flatMap(({ index, approval }) =>
    approval.fourEyes && !approval.requireRequester ? [`routes[${index}]`] : [],
  );
  return [
    ok("approval", `${asks}; ${persons}`),
    ...(open.length === 0
      ? []
      : [
          warn(
            "approval",
            `${open.join(", ")}: four eyes cannot exclude who asked where an event does not say so; set requireRequester: true`,
          ),
        ]),
  ];
}

/** An isolated endpoint's variables are somewhere else on purpose. */
function checkReferences(endpoint: Endpoint, environment: Environment): Check {
  const name = `endpoint ${endpoint.name}`;
  const variables = endpointVariables(endpoint);
  if (endpoint.isolated && variables.some((variable) => (environment[variable] ?? "") === "")) {
    return ok(name, `isolated; its variables belong where \`countersign worker --only ${endpoint.name}\` runs`);
  }
  try {
    resolveEndpoint(endpoint, environment);
    return ok(name, variables.length === 0 ? "needs no environment variables" : `${variables.join(", ")} set`);
  } catch (error) {
    if (!isCountersignError(error)) throw error;
    return fail(name, `${error.message} A worker started here would refuse to start.`, EXIT.badUsage);
  }
}

const SECRET_HEADER = /^(?:authorization|proxy-authorization|cookie)$|token|secret|api-?key|password/;

function literalSecrets({ name, headers, signing }: Endpoint): readonly Check[] {
  const places = [
    ...Object.entries(headers).flatMap(([header, value]) =>
      SECRET_HEADER.test(header) && isLiteral(value) ? [`headers.${header}`] : [],
    ),
    ...((signing?.secrets ?? []).some(isLiteral) ? ["signing.secrets"] : []),
  ];
  if (places.length === 0) return [];
  return [
    warn(
      `endpoint ${name}`,
      `${places.join(" and ")}: a secret stands in the configuration file; move it to a variable and write env('NAME')`,
    ),
  ];
}

function isLiteral(reference: Reference): boolean {
  return !isEnvReference(reference);
}
