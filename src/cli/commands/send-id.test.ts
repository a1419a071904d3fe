/** The id of what `send` sends, as far as arguments and configuration decide it. That it sends is told end to end. */
import { describe, expect, test } from "vitest";
import { aContext } from "../../../test/support/a-context.ts";
import { parseConfig } from "../../config/parse-config.ts";
import type { BusinessEvent } from "../../delivery/event.ts";
import { CountersignError } from "../../errors.ts";
import { send, type SendCommand } from "./send.ts";

/** Its only route wants nothing but sees every event, so that no server is asked. */
function seeing(see: (key: string) => void) {
  const when = ({ source, id }: BusinessEvent): boolean => {
    see(`${source}/${id}`);
    return false;
  };
  const sources = { shop: {}, till: { aliases: ["urn:till"], idFrom: ["data.orderId", "data.status"] } };
  const raw = { sources, endpoints: { crm: { handler: "crm@1" } }, routes: [{ match: { when }, to: ["crm"] }] };
  return parseConfig(raw, { path: null });
}

async function refusal(
  options: Partial<SendCommand>,
  see: (key: string) => void = () => undefined,
): Promise<CountersignError> {
  const context = { ...aContext().context, config: async () => await Promise.resolve(seeing(see)) };
  try {
    await send(context, { file: undefined, ...options });
  } catch (error) {
    if (error instanceof CountersignError) return error;
    throw error;
  }
  throw new Error("It was sent.");
}

const PAID = { data: '{"orderId":7.0,"status":"paid"}', type: "order.paid", source: "till" };
const SHOP = { ...PAID, source: "shop" };
const whole = (event: object): Partial<SendCommand> => ({ data: JSON.stringify(event) });

describe("the id", () => {
  test.each<readonly [words: string, options: Partial<SendCommand>, key: string]>([
    ["is the one that is given, whatever the source says", { ...PAID, id: "o-1" }, "till/o-1"],
    ["is made of the members that --id-from names", { ...SHOP, idFrom: ["data.orderId"] }, "shop/7.0"],
    ["is made of several", { ...SHOP, idFrom: ["type", "data.orderId"] }, "shop/order.paid:7.0"],
    ["is made by the idFrom of the source where nobody says one", PAID, "till/7.0:paid"],
    ["is so under an alias, too", { ...PAID, source: "urn:till" }, "till/7.0:paid"],
    ["is rather that of --id-from than of the source's idFrom", { ...PAID, idFrom: ["data.status"] }, "till/paid"],
    [
      "of a whole event is its own before all others",
      { ...whole({ source: "till", id: "o-2", type: "t", data: { nr: 1 } }), idFrom: ["data.nr"] },
      "till/o-2",
    ],
    [
      "of a whole event without one is made of the members that --id-from names",
      { ...whole({ source: "shop", type: "t", data: { nr: 1 } }), idFrom: ["data.nr"] },
      "shop/1",
    ],
    [
      "of a whole event without one is made by the idFrom of its source",
      whole({ source: "till", type: "t", data: { orderId: "a", status: "b" } }),
      "till/a:b",
    ],
  ])("%s", async (_words, options, key) => {
    const seen = new Set<string>();
    expect(await refusal(options, (name) => void seen.add(name))).toMatchObject({ code: "no_route" });
    expect([...seen]).toEqual([key]);
  });

  const IN_EVENT = "accepted: a path into the event, such as 'data.orderId' or 'subject'.";
  const TEN = Array.from({ length: 11 }, (_, index) => `data.m${index}`);

  test.each<readonly [words: string, options: Partial<SendCommand>, code: string, message: string]>([
    ["given twice", { ...SHOP, id: "1", idFrom: ["data.orderId"] }, "bad_argument", "accepted is one of them"],
    ["that nothing says", SHOP, "bad_argument", "also needs --id, or --id-from with the members that make it."],
    ["of no source", { data: "1", type: "t" }, "bad_argument", "also needs --source and --id."],
    ["of a member that is missing", { ...SHOP, idFrom: ["data.nr", "data.status"] }, "bad_id", "made of data.nr: each"],
    [
      "of members the source names and the event lacks",
      { ...PAID, data: "{}" },
      "bad_id",
      "made of data.orderId, data",
    ],
    ["of a whole event that lacks them", { data: "{}", idFrom: ["data.nr"] }, "bad_id", "made of data.nr: each"],
    ["of a whole event that nothing says", whole({ source: "shop", type: "t" }), "bad_id", '"id"'],
    ["of a path outside the event", { ...SHOP, idFrom: ["orderId"] }, "bad_argument", `found "orderId"; ${IN_EVENT}`],
    ["of the id itself", { ...SHOP, idFrom: ["data.a", "id"] }, "bad_argument", `--id-from: found "id"; ${IN_EVENT}`],
    ["of a path that is none", { ...SHOP, idFrom: ["data."] }, "bad_argument", 'found "data."; accepted: a path such'],
    ["of eleven members", { ...SHOP, idFrom: TEN }, "bad_argument", "accepted: a list of 1 to 10 paths"],
  ])("%s is refused, with the reason", async (_words, options, code, message) => {
    expect(await refusal(options)).toMatchObject({ code, message: expect.stringContaining(message) });
  });
});
