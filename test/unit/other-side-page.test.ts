/** docs/runbooks/other-side-is-down.md: what its first table looks for is what `countersign endpoints NAME` prints. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { gateSentence } from "../../src/cli/gate-text.ts";
import type { EndpointDetail } from "../../src/client/endpoint-detail.ts";
import { DEFAULT_CIRCUIT } from "../../src/delivery/gates/circuit.ts";
import { anEndpoint } from "../support/an-endpoint.ts";

const page = await readFile("docs/runbooks/other-side-is-down.md", "utf8");
const NOW_MS = Date.parse("2026-11-29T10:00:00Z");
const [since, until] = ["2026-11-29T09:59:00.000Z", "2026-11-29T12:00:00.000Z"];

/** In the order of the page; `why` as the circuit and the client put it. */
const gates: readonly Partial<EndpointDetail["gate"]>[] = [
  { state: "tripped", who: "workers", why: "5 failures in a row, the last one http_503", since, until },
  { state: "tripped", who: "workers", why: "60 % of the attempts failed, the last one http_503", since, until },
  { state: "tripped", who: "workers", why: "it does not accept our credentials (http_401)", since },
  { state: "tripped", who: "workers", why: "it says that it is gone for good (http_410)", since },
  { state: "throttled", who: "workers", why: "the endpoint asked for it by Retry-After", since, until },
  { state: "paused", who: "ana@example.com", why: "vendor maintenance", since },
  {
    state: "tripped",
    probing: true,
    who: "workers",
    why: "1 of 2 probes succeeded so far, 4 wanted",
    since,
  },
  { ramping: true },
  {},
];

test("each of its gate lines is what is printed of that gate, and of no other", () => {
  const [, table = ""] = /^\| The line `gate` says.*?\n\|[ -|]+\n(.*?)\n\n/msu.exec(page) ?? [];
  const lines = [...table.matchAll(/^\| `(.+?)` +\| /gmu)].map(([, line = ""]) => line);
  const likes = lines.map(
    (line) => new RegExp(`^${line.replaceAll(/[.*+?^$()[\]{}|\\]/gu, String.raw`\$&`).replaceAll("…", ".+")}$`, "u"),
  );
  const sentences = gates.map((gate) => gateSentence(anEndpoint({ gate }), NOW_MS));
  expect(lines).toHaveLength(gates.length);
  const found = sentences.map((sentence) => likes.flatMap((like, index) => (like.test(sentence) ? [index] : [])));
  expect(found).toEqual(gates.map((_, index) => [index]));
});

test("it says from how many attempts on the circuit trips by their share", () => {
  const { minimum, share, windowMs } = DEFAULT_CIRCUIT;
  expect({ share, windowMs }).toEqual({ share: 0.5, windowMs: 60_000 });
  expect(page).toContain(`when half of a minute's attempts fail, of at least ${minimum}`);
});
