import { expect, test } from "vitest";
import { positionAfter } from "./position.ts";

const item = (key: string, acceptedMs: number) => ({ key, acceptedMs });

test("the next page begins in the millisecond of the last item, without those taken", () => {
  const first = positionAfter({ untilMs: 900, taken: [] }, [item("a", 500), item("b", 400), item("c", 400)]);
  expect(first).toEqual({ untilMs: 400, taken: ["b", "c"] });
  expect(positionAfter(first, [item("d", 400)])).toEqual({ untilMs: 400, taken: ["b", "c", "d"] });
  expect(positionAfter(first, [item("d", 400), item("e", 300)])).toEqual({ untilMs: 300, taken: ["e"] });
  expect(positionAfter(first, [])).toEqual(first);
});
