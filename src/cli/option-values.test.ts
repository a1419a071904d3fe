import { InvalidArgumentError } from "commander";
import { describe, expect, test } from "vitest";
import { collectValue, parseLimit, parseNames, parsePort } from "./option-values.ts";

describe("numbers", () => {
  test("are taken within their bounds", () => {
    expect([parsePort("0"), parsePort("65535"), parseLimit("1"), parseLimit("1000")]).toEqual([0, 65_535, 1, 1000]);
  });

  test.each(["", "-1", "1.5", "1e3", "0x10", "65536", " 7", "99999999999"])("refuse %j", (text) => {
    expect(() => parsePort(text)).toThrow(InvalidArgumentError);
  });

  test("of a limit begin at one", () => {
    expect(() => parseLimit("0")).toThrow("from 1 to 1000");
  });
});

describe("lists", () => {
  test("come with commas, several times, or both", () => {
    expect(parseNames("c", parseNames("a, b"))).toEqual(["a", "b", "c"]);
    expect(collectValue("b,c", collectValue("a"))).toEqual(["a", "b,c"]);
  });

  test.each(["", "a,", ",", "a,,b"])("refuse %j", (text) => {
    expect(() => parseNames(text)).toThrow(InvalidArgumentError);
  });
});
