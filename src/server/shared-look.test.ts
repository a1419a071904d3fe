/** A crowd costs one look, nobody waits long, and what hangs is not waited for again and again. */
import { describe, expect, test } from "vitest";
import { shareLook } from "./shared-look.ts";

/** A look whose end is in the test's hands. */
function slowLooks() {
  const ends: ((found: number) => void)[] = [];
  const look = async (): Promise<number> => await new Promise<number>((resolve) => ends.push(resolve));
  return { look, begun: () => ends.length, end: (at: number) => ends[at]?.(at) };
}

function aClock() {
  let atMs = 0;
  return { now: () => atMs, pass: (durationMs: number) => void (atMs += durationMs) };
}

const PATIENT_MS = 60_000;

describe("a shared look", () => {
  test("is one for a hundred who ask at once", async () => {
    const [{ look, begun, end }, { now }] = [slowLooks(), aClock()];
    const ask = shareLook({ look, now, everyMs: 1000, waitMs: PATIENT_MS });
    const answers = Array.from({ length: 100 }, ask);
    end(0);
    expect(new Set((await Promise.all(answers)).map((answer) => answer !== "late" && answer.found))).toEqual(
      new Set([0]),
    );
    expect(begun()).toBe(1);
  });

  test("is good for a while, and made anew by the first who asks after that", async () => {
    const [{ look, begun, end }, clock] = [slowLooks(), aClock()];
    const ask = shareLook({ look, now: clock.now, everyMs: 1000, waitMs: PATIENT_MS });
    const first = ask();
    end(0);
    await first;
    clock.pass(999);
    expect(await ask()).toEqual({ found: 0 });
    clock.pass(1);
    const second = ask();
    expect(begun()).toBe(2);
    end(1);
    expect(await second).toEqual({ found: 1 });
  });

  test("that takes long keeps nobody, is not begun twice, and its finding is there for the next", async () => {
    const [{ look, begun, end }, clock] = [slowLooks(), aClock()];
    const ask = shareLook({ look, now: clock.now, everyMs: 1000, waitMs: 5 });
    expect(await Promise.all([ask(), ask()])).toEqual(["late", "late"]);
    clock.pass(5000);
    expect(await ask()).toBe("late");
    expect(begun()).toBe(1);
    end(0);
    // Its finding is as old as its begin, so the next look is due; but it is known meanwhile.
    clock.pass(-5000);
    expect(await ask()).toEqual({ found: 0 });
  });

  test("that never ends is given up after two minutes", async () => {
    const [{ look, begun }, clock] = [slowLooks(), aClock()];
    const ask = shareLook({ look, now: clock.now, everyMs: 1000, waitMs: 5 });
    await ask();
    clock.pass(119_999);
    await ask();
    expect(begun()).toBe(1);
    clock.pass(1);
    await ask();
    expect(begun()).toBe(2);
  });

  test("that fails fails for those who asked, and not for those who come later", async () => {
    const clock = aClock();
    let looks = 0;
    const look = async () => {
      looks += 1;
      return looks === 1 ? await Promise.reject<string>(new Error("gone")) : await Promise.resolve("back");
    };
    const ask = shareLook({ look, now: clock.now, everyMs: 1000, waitMs: PATIENT_MS });
    await expect(ask()).rejects.toThrow("gone");
    clock.pass(1000);
    expect(await ask()).toEqual({ found: "back" });
  });
});
