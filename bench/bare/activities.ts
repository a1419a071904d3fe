/** The request a bare workflow makes: what somebody would write who has only the SDK and undici. */
import { Agent, request } from "undici";
import type { BenchEvent } from "../scenario.ts";

export interface Posted {
  readonly status: number;
}

export interface BareActivities {
  post(event: BenchEvent): Promise<Posted>;
}

/** Throws on any other answer than 200, so that Temporal would try again. */
export function createBareActivities(url: string): BareActivities {
  const dispatcher = new Agent({ connections: 64 });
  return {
    async post({ source, id, data }) {
      const headers = { "content-type": "application/json", "idempotency-key": `${source}/${id}` };
      const { statusCode, body } = await request(url, {
        dispatcher,
        method: "POST",
        headers,
        body: JSON.stringify(data),
      });
      await body.dump();
      if (statusCode !== 200) throw new Error(`The destination answered ${statusCode}`);
      return { status: statusCode };
    },
  };
}
