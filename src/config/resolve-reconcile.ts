/** A lookup with its references replaced, for the process that asks. */
import type { LookupRules } from "../delivery/lookup.ts";
import type { Endpoint, Reconcile, Reference } from "./config.ts";

/** Holds secrets: it must not be logged and never enters a workflow. */
export type ResolvedReconcile =
  | {
      readonly kind: "url";
      /** May hold placeholders, see `lookupUrlFor`. */
      readonly url: string;
      /** By lower-case name. */
      readonly headers: Readonly<Record<string, string>>;
      readonly rules: LookupRules;
    }
  | Extract<Reconcile, { kind: "handler" }>;

/** Everything of a lookup that may be a reference, with the words for it. */
export function lookupReferences({
  reconcile,
}: Pick<Endpoint, "reconcile">): readonly { readonly what: string; readonly reference: Reference }[] {
  if (reconcile?.kind !== "url") return [];
  const headers = Object.entries(reconcile.headers ?? {});
  return [
    { what: "reconcile url", reference: reconcile.url },
    ...headers.map(([name, reference]) => ({ what: `reconcile header ${name}`, reference })),
  ];
}

/** `endpoint` is what was resolved of it already. */
export function resolveReconcile(
  reconcile: Reconcile | null,
  read: (reference: Reference) => string,
  endpoint: { readonly url: string | null; readonly headers: Readonly<Record<string, string>> },
): ResolvedReconcile | null {
  if (reconcile === null || reconcile.kind === "handler") return reconcile;
  const { rules } = reconcile;
  const url = read(reconcile.url);
  if (reconcile.headers !== null) {
    const headers = Object.entries(reconcile.headers).map(([name, value]) => [name, read(value)] as const);
    return { kind: "url", url, headers: Object.fromEntries(headers), rules };
  }
  return { kind: "url", url, headers: mayShareHeaders(url, endpoint.url) ? endpoint.headers : {}, rules };
}

/** Credentials meant for one host are not shown to another. A handler has no host, and its headers no other use. */
function mayShareHeaders(lookupUrl: string, endpointUrl: string | null): boolean {
  return endpointUrl === null || originOf(lookupUrl) === originOf(endpointUrl);
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}
