/** Whether JSON's numbers survive being read as doubles. */

/**
 * Whether a number token keeps its exact decimal value when it is read as a double and printed again.
 *
 * `1.0` and `1` are one value; `12345678901234567891` and `1e400` are lost, and so is
 * the sign of `-0`.
 */
export function isExactNumber(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value) || (value === 0 && token.startsWith("-"))) return false;
  return decimalOf(token) === decimalOf(String(value));
}

/** One spelling for each decimal value: sign, digits without zeros at either end, power of ten. */
function decimalOf(token: string): string {
  const { sign = "", whole = "", fraction = "", power = "0" } = PARTS.exec(token)?.groups ?? {};
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const end = endWithoutZeros(digits);
  if (end === 0) return "0";
  return `${sign}${digits.slice(0, end)}e${Number(power) - fraction.length + digits.length - end}`;
}

const PARTS = /^(?<sign>-?)(?<whole>\d+)(?:\.(?<fraction>\d+))?(?:[eE](?<power>[+-]?\d+))?$/;

/** By hand: a regular expression for zeros at the end takes quadratic time over zeros in the middle. */
function endWithoutZeros(digits: string): number {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end -= 1;
  return end;
}
