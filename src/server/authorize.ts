/** Who asks, and whether they may: before a body is read. */
import { type AccessVerb, roleAllows } from "../access/allows.ts";
import { authenticate, type AuthenticationFailure } from "../access/authenticate.ts";
import type { ApiKey } from "../config/config.ts";
import { SECOND_MS } from "../delivery/durations.ts";
import { type Problem, problemResponse } from "./problem.ts";
import { headersOf, oneHeader } from "./request-headers.ts";
import type { Answer, HttpContext, ServerContext } from "./server-context.ts";

export type Authorization =
  | { readonly kind: "key"; readonly key: ApiKey }
  | { readonly kind: "refused"; readonly problem: Problem };

export interface Gatekeeper {
  /** Judges the key of a request; whoever keeps failing waits for the answer. */
  authorize(context: HttpContext, verb: AccessVerb): Promise<Authorization>;
}

export function createGatekeeper(server: ServerContext): Gatekeeper {
  let heldBack = 0;
  const slowed = async (context: HttpContext, problem: Problem): Promise<Problem> => {
    const address = context.env?.incoming?.socket?.remoteAddress ?? "unknown";
    const { delayMs } = server.slowDown.recordFailure(address, server.now());
    if (delayMs === 0) return problem;
    // Nobody fills our memory with answers that wait.
    if (heldBack >= server.limits.maxHeldBack) return tooManyFailures(delayMs);
    heldBack += 1;
    await server.pause(delayMs).finally(() => (heldBack -= 1));
    return problem;
  };
  return {
    async authorize(context, verb) {
      const header = oneHeader(headersOf(context), "authorization");
      const found = authenticate(server.config.keys, header, server.now());
      if (!found.ok) {
        server.metrics.keyRefused(found.because);
        server.log.warn({ keyId: found.keyId, because: found.because, verb }, "key.refused");
        return { kind: "refused", problem: await slowed(context, unauthorized(found.because)) };
      }
      const { key } = found;
      if (roleAllows(key.role, verb)) return { kind: "key", key };
      return { kind: "refused", problem: forbidden(`A key of role ${key.role} may not ${verb}.`) };
    },
  };
}

/** Answers whoever may; anybody else is told so before a body is read. */
export function answering(
  gatekeeper: Gatekeeper,
  verb: AccessVerb,
  answer: (context: HttpContext, key: ApiKey) => Promise<Response>,
): Answer {
  return async (context) => {
    const authorization = await gatekeeper.authorize(context, verb);
    return authorization.kind === "refused"
      ? problemResponse(authorization.problem)
      : await answer(context, authorization.key);
  };
}

const WORDS: Readonly<Record<AuthenticationFailure, string>> = {
  missing: "Send an API key: Authorization: Bearer csk_…",
  malformed: "The Authorization header holds no API key: Bearer csk_…",
  unknown: "This API key is not known here.",
  expired: "This API key has expired.",
};

/** RFC 6750 §3: without a key no error is named. */
function unauthorized(because: AuthenticationFailure): Problem {
  const challenge = because === "missing" ? "Bearer" : 'Bearer error="invalid_token"';
  return { status: 401, code: "unauthorized", detail: WORDS[because], headers: { "www-authenticate": challenge } };
}

export function forbidden(detail: string): Problem {
  return { status: 403, code: "forbidden", detail };
}

function tooManyFailures(delayMs: number): Problem {
  return {
    status: 429,
    code: "too_many_requests",
    detail: "Too many attempts without a valid key.",
    headers: { "retry-after": String(Math.ceil(delayMs / SECOND_MS)) },
  };
}
