/** The one place where references to environment variables become values; called by the process that sends. */
import { CountersignError } from "../errors.ts";
import { checkUrl, parseUrl } from "./address.ts";
import type { Endpoint, Reference } from "./config.ts";
import { checkHeaderValue } from "./header-rules.ts";
import { checkLookupUrl } from "./reconcile.ts";
import { isEnvReference } from "./reference.ts";
import { lookupReferences, type ResolvedReconcile, resolveReconcile } from "./resolve-reconcile.ts";
import { checkSigningSecret } from "./signing-secret.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** An endpoint ready to send to. Holds secrets: it must not be logged and never enters a workflow. */
export interface ResolvedEndpoint extends Omit<Endpoint, "url" | "headers" | "signing" | "reconcile"> {
  readonly url: string | null;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signing: { readonly scheme: "standard-webhooks"; readonly secrets: readonly string[] } | null;
  readonly reconcile: ResolvedReconcile | null;
}

/**
 * Replaces every reference of an endpoint by its value.
 *
 * Throws `missing_env` naming the endpoint and each variable that is unset or
 * empty, `config_invalid` when a value cannot be used; never shows a value.
 */
export function resolveEndpoint(endpoint: Endpoint, environment: Environment): ResolvedEndpoint {
  requireVariables(endpoint, environment);
  const read = (reference: Reference): string =>
    isEnvReference(reference) ? (readVariable(environment, reference.env) ?? "") : reference;
  const url = endpoint.url === null ? null : read(endpoint.url);
  const headers = Object.entries(endpoint.headers).map(([name, value]) => [name, read(value)] as const);
  const secrets = endpoint.signing?.secrets.map(read) ?? [];
  if (url !== null) refuse(endpoint, checkUrl(url, endpoint), { what: "url", reference: endpoint.url });
  for (const [name, value] of headers)
    refuse(endpoint, checkHeaderValue(value), { what: `header ${name}`, reference: endpoint.headers[name] });
  for (const [index, secret] of secrets.entries()) {
    refuse(endpoint, checkSigningSecret(secret), {
      what: "signing secret",
      reference: endpoint.signing?.secrets[index],
    });
  }
  for (const { what, reference } of lookupReferences(endpoint)) {
    const complaint =
      what === "reconcile url" ? checkLookupUrl(read(reference), endpoint) : checkHeaderValue(read(reference));
    refuse(endpoint, complaint, { what, reference });
  }
  const resolved = { url, headers: Object.fromEntries(headers) };
  return {
    ...endpoint,
    ...resolved,
    reconcile: resolveReconcile(endpoint.reconcile, read, resolved),
    signing: endpoint.signing === null ? null : { scheme: endpoint.signing.scheme, secrets },
  };
}

/** The variables an endpoint refers to, each once, in the order url, headers, secrets, lookup. */
export function endpointVariables(endpoint: Endpoint): readonly string[] {
  const lookup = lookupReferences(endpoint).map(({ reference }) => reference);
  const references = [
    endpoint.url,
    ...Object.values(endpoint.headers),
    ...(endpoint.signing?.secrets ?? []),
    ...lookup,
  ];
  return [
    ...new Set(
      references.flatMap((reference) => (reference !== null && isEnvReference(reference) ? [reference.env] : [])),
    ),
  ];
}

/**
 * Where an endpoint sends, fit for people and logs: without query, fragment and credentials.
 *
 * A reference shows as `env(CRM_URL)`, a handler as its `name@version`.
 */
export function displayUrl(endpoint: Pick<Endpoint, "url" | "handler">): string {
  if (endpoint.url === null) return endpoint.handler ?? "";
  if (isEnvReference(endpoint.url)) return `env(${endpoint.url.env})`;
  const url = parseUrl(endpoint.url);
  return url === null ? "(not a URL)" : `${url.protocol}//${url.host}${url.pathname}`;
}

function requireVariables(endpoint: Endpoint, environment: Environment): void {
  const missing = endpointVariables(endpoint).filter((name) => readVariable(environment, name) === undefined);
  if (missing.length === 0) return;
  const noun = missing.length === 1 ? "environment variable" : "environment variables";
  const verb = missing.length === 1 ? "is" : "are";
  throw new CountersignError(
    "missing_env",
    `Endpoint "${endpoint.name}" needs the ${noun} ${missing.join(", ")}, which ${verb} not set or empty.`,
    { details: { endpoint: endpoint.name, variables: missing.join(", ") } },
  );
}

/** An empty variable counts as missing: it is what a forgotten line in a deployment file leaves. */
export function readVariable(environment: Environment, name: string): string | undefined {
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  return value === "" ? undefined : value;
}

function refuse(
  endpoint: Endpoint,
  complaint: string | null,
  { what, reference }: { readonly what: string; readonly reference: Reference | null | undefined },
): void {
  if (complaint === null) return;
  const origin =
    reference !== null && reference !== undefined && isEnvReference(reference)
      ? ` from environment variable ${reference.env}`
      : "";
  throw new CountersignError("config_invalid", `Endpoint "${endpoint.name}": the ${what}${origin} ${complaint}.`, {
    details: { endpoint: endpoint.name },
  });
}
