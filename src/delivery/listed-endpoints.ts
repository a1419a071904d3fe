/** Which endpoints of an event lists can find it by: a search attribute holds 2,048 bytes, and no more (server 1.32.0). */

/** Of the list as JSON; the rest of the room is for what the server adds. */
const MAX_BYTES = 1900;

const encoder = new TextEncoder();

/** The longest beginning of the list that fits: a start with a longer one is refused, a run that writes it is terminated. */
export function listedEndpoints(names: readonly string[]): readonly string[] {
  let bytes = "[]".length;
  const firstLeftOut = names.findIndex((name, index) => {
    bytes += encoder.encode(JSON.stringify(name)).length + (index === 0 ? 0 : ",".length);
    return bytes > MAX_BYTES;
  });
  return firstLeftOut < 0 ? names : names.slice(0, firstLeftOut);
}
