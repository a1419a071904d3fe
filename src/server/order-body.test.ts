import { expect, test } from "vitest";
import { pauseSchema } from "./gate-schemas.ts";
import { parsed } from "./order-body.ts";

test.each([
  [{}, "The body's reason is missing. "],
  [{ reason: "" }, "The body's reason cannot be used: Too small: expected string to have >=1 characters. "],
  [{ reason: 7 }, "The body's reason cannot be used: Invalid input: expected string, received number. "],
  [{ reason: "r", untill: "x" }, 'The body must not have "untill". '],
  [{ reson: "r" }, `The body's reason is missing. The body must not have "reson". `],
  [{ reason: "r", ["y".repeat(500)]: 1 }, `The body must not have "${"y".repeat(40)}". `],
  [
    { reason: "r", ...Object.fromEntries(Array.from({ length: 20_000 }, (_, nth) => [`m${nth}`, 1])) },
    'The body must not have "m0", "m1", "m2", "m3", "m4". ',
  ],
  [[], "The body must be a JSON object. "],
  [null, "The body must be a JSON object. "],
])("%j is refused with what is wrong with it", (document, complaint) => {
  expect(() => parsed(pauseSchema, document)).toThrow(
    expect.objectContaining({
      code: "bad_argument",
      message: `${complaint}/openapi.json lists what the body may have`,
    }),
  );
});
