/** The schema of one source. */
import { z } from "zod";
import { listOf, strictShape } from "./accept.ts";
import { duration } from "./duration.ts";
import { reference } from "./reference.ts";
import { pattern, text } from "./scalars.ts";

const alias = text("a text of 1 to 1000 characters, such as 'https://shop.example/orders'");

/** What a scheme needs besides stands beside these members, so unknown ones pass until the schemes check them. */
const verify = z.looseObject(
  {
    scheme: pattern("the name of a scheme, such as 'stripe'", /^[a-z][a-z0-9-]{0,62}$/),
    secrets: listOf(
      "a list of 1 to 10 secrets",
      reference("a secret", () => null),
      { min: 1, max: 10 },
    ).optional(),
    tolerance: duration("a duration of at least 1 s, such as '5m'", { minMs: 1000 }).optional(),
  },
  { error: "an object with scheme, secrets, tolerance" },
);

export const sourceSchema = strictShape("an object", {
  aliases: listOf("a list of texts", alias).default([]),
  verify: verify.optional(),
  idFrom: listOf("a list of paths such as 'data.orderId'", text("a path such as 'data.orderId'", 200), {
    min: 1,
  }).optional(),
});
