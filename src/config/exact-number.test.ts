import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isExactNumber } from "./exact-number.ts";

describe("isExactNumber", () => {
  test.each([
    ["0", true],
    ["0.0", true],
    ["0e5", true],
    ["0.000e-99999999999999999999", true],
    ["1", true],
    ["1.0", true],
    ["-1.50", true],
    ["10e-1", true],
    ["0.1", true],
    ["1E30", true],
    ["1e23", true],
    ["100000000000000000000000", true],
    ["0.000000000000000000000000001", true],
    ["5e-324", true],
    ["1.7976931348623157e308", true],
    ["9007199254740992", true],
    ["-0", false],
    ["-0.0", false],
    ["-0e3", false],
    ["9007199254740993", false],
    ["12345678901234567890", false],
    ["12345678901234567891", false],
    ["0.1000000000000000055511151231257827", false],
    ["333333333.33333329", false],
    ["1e400", false],
    ["-1e400", false],
    ["1e-400", false],
    ["-1e-400", false],
    ["4e-324", false],
    ["1e99999999999999999999", false],
    ["1e-99999999999999999999", false],
  ])("%s: %s", (token, exact) => {
    expect(isExactNumber(token)).toBe(exact);
  });

  test("holds for every double as it is printed, and not with a digit more than a double has", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        fc.pre(!Object.is(value, -0));
        expect(isExactNumber(String(value))).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 20n, max: 10n ** 40n }), (value) => {
        expect(isExactNumber(String(value))).toBe(BigInt(Number(value)) === value || roundTrips(value));
      }),
    );
  });

  /** The shortest text of the double has the same value, although the double itself may not. */
  function roundTrips(value: bigint): boolean {
    const [digits = "", power = "0"] = String(Number(value)).split("e+");
    const [whole = "", fraction = ""] = digits.split(".");
    return BigInt(whole + fraction) * 10n ** BigInt(Number(power) - fraction.length) === value;
  }

  test("takes linear time over a long number", () => {
    const start = performance.now();
    expect(isExactNumber(`1${"0".repeat(500_000)}1e-500001`)).toBe(false);
    expect(isExactNumber(`1.${"0".repeat(1_000_000)}`)).toBe(true);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
