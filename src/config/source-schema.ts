/** The schema of one source. */
import { listOf, strictShape } from "./accept.ts";
import { text } from "./scalars.ts";
import { memberPath } from "./verify-members.ts";
import { verifySchema } from "./verify-schema.ts";

const alias = text("a text of 1 to 1000 characters, such as 'https://shop.example/orders'");

export const idFromSchema = listOf("a list of 1 to 10 paths such as 'data.orderId'", memberPath, { min: 1, max: 10 });

export const sourceSchema = strictShape("an object", {
  aliases: listOf("a list of texts", alias).default([]),
  verify: verifySchema.optional(),
  idFrom: idFromSchema.optional(),
});
