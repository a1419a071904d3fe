/** What must hang together: names, aliases, addresses, headers. Each check answers all problems it sees. */
import { isName } from "../delivery/names.ts";
import { checkUrl } from "./address.ts";
import { checkApprovals } from "./approval-checks.ts";
import { checkHeaderName } from "./header-rules.ts";
import { checkKeys } from "./key-checks.ts";
import { listNames, NAME_RULE, RESERVED_SOURCE } from "./names.ts";
import { checkPeople } from "./people-checks.ts";
import { foundProblem, type Problem } from "./problem.ts";
import { checkLookupRules, checkLookupUrl } from "./reconcile.ts";
import type { CheckedConfig, CheckedEndpoint } from "./schema.ts";
import { checkVerify } from "./verify-checks.ts";

export function crossCheck(config: CheckedConfig): readonly Problem[] {
  return [
    ...checkSources(config),
    ...checkVerify(config),
    ...checkEndpoints(config),
    ...checkRoutes(config),
    ...checkPeople(config),
    ...checkKeys(config),
    ...checkApprovals(config),
  ];
}

function checkSources(config: CheckedConfig): readonly Problem[] {
  const problems = checkNames("sources", Object.keys(config.sources));
  if (Object.hasOwn(config.sources, RESERVED_SOURCE)) {
    problems.push({
      path: ["sources", RESERVED_SOURCE],
      text: "is reserved for Countersign's own test events; accepted: any other name",
    });
  }
  const owners = new Map<string, string>([[RESERVED_SOURCE, RESERVED_SOURCE]]);
  for (const name of Object.keys(config.sources)) owners.set(name, name);
  for (const [name, source] of Object.entries(config.sources)) {
    for (const [index, alias] of source.aliases.entries()) {
      const owner = owners.get(alias);
      if (owner === undefined) owners.set(alias, name);
      else
        problems.push(
          foundProblem(
            ["sources", name, "aliases", index],
            alias,
            `a text that is not yet a name or alias of source ${owner}`,
          ),
        );
    }
  }
  return problems;
}

function checkNames(key: string, names: readonly string[]): Problem[] {
  return names
    .filter((name) => !isName(name))
    .map((name) => ({ path: [key, name], text: `is not a valid name; accepted: ${NAME_RULE}` }));
}

function checkEndpoints(config: CheckedConfig): readonly Problem[] {
  const problems = checkNames("endpoints", Object.keys(config.endpoints));
  for (const [name, endpoint] of Object.entries(config.endpoints)) {
    const path = ["endpoints", name];
    if ((endpoint.url === undefined) === (endpoint.handler === undefined)) {
      const found = endpoint.url === undefined ? "neither url nor handler" : "both url and handler";
      problems.push({ path, text: `found ${found}; accepted: exactly one of them` });
    }
    problems.push(...checkHeaders(path, endpoint), ...checkReconcile(path, endpoint));
    const complaint = typeof endpoint.url === "string" ? checkUrl(endpoint.url, endpoint) : null;
    if (complaint !== null) problems.push({ path: [...path, "url"], text: complaint });
  }
  return problems;
}

function checkReconcile(endpointPath: readonly string[], endpoint: CheckedEndpoint): readonly Problem[] {
  const { reconcile, idempotent } = endpoint;
  if (reconcile === undefined) return [];
  const path = [...endpointPath, "reconcile"];
  if (idempotent)
    return [
      { path, text: "has no effect where requests may be repeated; accepted: with idempotent: false, or remove it" },
    ];
  if ("handler" in reconcile) return [];
  const url = typeof reconcile.url === "string" ? checkLookupUrl(reconcile.url, endpoint) : null;
  const rules = checkLookupRules(reconcile);
  return [
    ...(url === null ? [] : [{ path: [...path, "url"], text: url }]),
    ...(rules === null ? [] : [{ path, text: rules }]),
    ...checkHeaders(path, { headers: reconcile.headers ?? {} }),
  ];
}

function checkHeaders(path: readonly string[], { headers }: Pick<CheckedEndpoint, "headers">): readonly Problem[] {
  const seen = new Set<string>();
  return Object.keys(headers).flatMap((name) => {
    const twice = seen.has(name.toLowerCase())
      ? "is there twice; upper and lower case do not count in header names"
      : null;
    seen.add(name.toLowerCase());
    const complaint = checkHeaderName(name) ?? twice;
    return complaint === null ? [] : [{ path: [...path, "headers", name], text: complaint }];
  });
}

function checkRoutes(config: CheckedConfig): readonly Problem[] {
  const endpoints = Object.keys(config.endpoints);
  const sources = new Set(Object.entries(config.sources).flatMap(([name, source]) => [name, ...source.aliases]));
  return config.routes.flatMap((route, index) => {
    const problems: Problem[] = [];
    const source = route.match?.source;
    if (source !== undefined && !sources.has(source)) {
      problems.push(
        foundProblem(["routes", index, "match", "source"], source, listNames("source", Object.keys(config.sources))),
      );
    }
    for (const [position, name] of route.to.entries()) {
      if (endpoints.includes(name)) continue;
      problems.push(foundProblem(["routes", index, "to", position], name, listNames("endpoint", endpoints)));
    }
    return problems;
  });
}
