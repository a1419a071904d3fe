/** `POST /v1/endpoints/{name}/test`: one synthetic event to one endpoint. */
import { answering, type Gatekeeper } from "./authorize.ts";
import { eventPath, NO_STORE } from "./receipt-response.ts";
import type { Answer, ServerContext } from "./server-context.ts";

/** Answered as soon as it is on its way; what came of it stands at `location`. */
export function createTestRoute({ countersign }: ServerContext, gatekeeper: Gatekeeper): Answer {
  return answering(gatekeeper, "test", async (context) => {
    const receipt = await countersign.test(context.req.param("name") ?? "");
    return Response.json(receipt, { headers: { ...NO_STORE, location: eventPath(receipt.key) } });
  });
}
