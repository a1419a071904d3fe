/** `send --id-from`: what the arguments alone decide. That it sends is told end to end. */
import { expect, test } from "vitest";
import { aContext } from "../../../test/support/a-context.ts";
import { send, type SendCommand } from "./send.ts";

const body = { file: undefined, data: '{"orderId":7}', type: "order.created", source: "shop" };

test.each<readonly [words: string, options: SendCommand, code: string]>([
  ["beside --id it is refused", { ...body, id: "1", idFrom: ["data.orderId"] }, "bad_argument"],
  ["without it --id is still needed", body, "bad_argument"],
  ["a member that is missing is named", { ...body, idFrom: ["data.nr"] }, "bad_id"],
  [
    "of a whole event it is taken where the event has none",
    { file: undefined, data: "{}", idFrom: ["data.nr"] },
    "bad_id",
  ],
])("%s", async (_words, options, code) => {
  await expect(send(aContext().context, options)).rejects.toMatchObject({ code });
});
