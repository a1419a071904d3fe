import { expect, test } from "vitest";
import { tableLines } from "./table.ts";

test("pads each column to its widest cell, by characters, and leaves no space at the end", () => {
  expect(
    tableLines(
      ["KEY", "STATE"],
      [
        ["shop/größe🙂", "x"],
        ["a", "delivered"],
      ],
    ),
  ).toEqual(["KEY          STATE", "shop/größe🙂  x", "a            delivered"]);
});
