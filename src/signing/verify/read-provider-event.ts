import type { ProviderEvent } from "./provider-event.ts";
import type { WebhookRequest } from "./scheme.ts";
import { schemeOf } from "./schemes.ts";
import type { VerifyScheme } from "./settings.ts";

/**
 * What a request is, by the provider's own fields: one event, several, or something to answer at once.
 *
 * Only for a request that `verifyWebhook` accepted. Never throws; what cannot be
 * read is said so. Whether id, type and body make an event of ours (their
 * length, repeated members) is for the parser of events to say.
 */
export function readProviderEvent(scheme: VerifyScheme, request: WebhookRequest): ProviderEvent {
  return schemeOf(scheme.scheme).readEvent(scheme, request);
}
