/** How an endpoint is asked what became of an uncertain attempt: schema, parsed form, and what must hang together. */
import type { z } from "zod";
import { JSON_PATH } from "../delivery/json-path.ts";
import type { LookupRules } from "../delivery/lookup.ts";
import { fillTemplate } from "../delivery/lookup-url.ts";
import { choose, isObject, keysMatch, recordOf, strictShape } from "./accept.ts";
import { checkUrl } from "./address.ts";
import type { Reconcile, Reference } from "./config.ts";
import { checkHeaderValue, HEADER_VALUE_RULE } from "./header-rules.ts";
import { handlerReference } from "./names.ts";
import { reference } from "./reference.ts";
import { jsonValue, whole } from "./scalars.ts";

const lookupAnswer = strictShape("an object", {
  status: whole(100, 599),
  json: recordOf("an object of expected values by path", jsonValue)
    .check(keysMatch("a path such as $.status or $.data[0].state", JSON_PATH))
    .default({}),
});

const byHandler = strictShape("an object", { handler: handlerReference });
const byUrl = strictShape("an object", {
  url: reference("a URL, which may hold {idempotencyKey}, {source} and {id}", () => null),
  headers: recordOf("an object of header values by name", reference(HEADER_VALUE_RULE, checkHeaderValue)).optional(),
  delivered: lookupAnswer,
  absent: lookupAnswer,
});

type CheckedReconcile = z.infer<typeof byHandler> | z.infer<typeof byUrl>;

export const reconcileSchema = choose<CheckedReconcile>((value) =>
  isObject(value) && "handler" in value ? byHandler : byUrl,
);

export function buildReconcile(checked: CheckedReconcile): Reconcile {
  if ("handler" in checked) return { kind: "handler", handler: checked.handler };
  const { url, headers, delivered, absent } = checked;
  const own = headers === undefined ? null : lowerCased(headers);
  return { kind: "url", url, headers: own, rules: { delivered, absent } };
}

function lowerCased(headers: Readonly<Record<string, Reference>>): Readonly<Record<string, Reference>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Says why a lookup cannot go to a URL, without the URL; null when it can. */
export function checkLookupUrl(template: string, rules: Parameters<typeof checkUrl>[1]): string | null {
  const example = fillTemplate(template, () => "x");
  if (/[{}]/.test(example)) return "holds a placeholder other than {idempotencyKey}, {source} and {id}";
  // Whoever names an event must not choose who is asked about it.
  if (/^[a-z]+:[/\\]*[^/\\?#]*\{/i.test(template)) return "has a placeholder in its host";
  return checkUrl(example, rules);
}

/** An answer that would fit both rules tells nothing; null when none can. */
export function checkLookupRules({ delivered, absent }: LookupRules): string | null {
  const canBeTold = [delivered, absent].every(({ json }) => Object.keys(json).length > 0);
  if (delivered.status !== absent.status || canBeTold) return null;
  return "found the same status for delivered and absent; accepted: another status, or json with both of them";
}
