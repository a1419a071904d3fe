/**
 * `npm test`: every test, in three lines side by side, because most of their time is waiting. The last line is
 * `N passed, N failed` over all. Arguments go to one ordinary run instead.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const VITEST = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const TALLY = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gmu;

/** Of the longest; what takes the place of the unit tests, which need half the time of the others. */
const LATER = ["test/server/endpoint-throttle.test.ts", "test/e2e/readme.test.ts"];
const WITHOUT_LATER = LATER.flatMap((file) => ["--exclude", file]);

/** Each line runs beside the others, its runs one after the other. The unit tests have to cover the decisions whole. */
const LINES = [
  [["--project", "server", ...WITHOUT_LATER]],
  [["--project", "e2e", ...WITHOUT_LATER]],
  [
    ["--project", "unit", "--coverage", "--maxWorkers=1"],
    ["--project", "server", "--project", "e2e", ...LATER],
  ],
];

const given = process.argv.slice(2);
if (given.length > 0) process.exitCode = (await run(given, process.stdout)).status;
else process.exitCode = await runAll();

async function runAll() {
  const later = LINES.map(() => []);
  const collected = (index) => ({ write: (text) => later[index].push(text) });
  const outputOf = (index) => (index === 0 ? process.stdout : collected(index));
  const lines = LINES.map(async (line, index) => await runInTurn(line, outputOf(index)));
  const runs = (await Promise.all(lines)).flat();
  process.stdout.write(later.flat().join(""));
  const sum = (key) => runs.reduce((total, { tally }) => total + tally[key], 0);
  const failedWithoutWord = runs.filter(({ status, tally }) => status !== 0 && tally.failed === 0).length;
  const skipped = sum("skipped") === 0 ? "" : `, ${sum("skipped")} skipped`;
  console.log(`\nAll together:\n${sum("passed")} passed, ${sum("failed") + failedWithoutWord} failed${skipped}`);
  return runs.every(({ status }) => status === 0) ? 0 : 1;
}

async function runInTurn(line, output) {
  const runs = [];
  for (const args of line) runs.push(await run(args, output));
  return runs;
}

/** Ends when the run does; its output goes on to `output`, and its own last line is read. */
async function run(args, output) {
  const child = spawn(process.execPath, [VITEST, "run", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => child.kill(signal));
  let text = "";
  const take = (chunk) => {
    text += chunk;
    output.write(chunk);
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", take);
  const status = await new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)));
  const [, passed, failed, skipped] = [...plain(text).matchAll(TALLY)].at(-1) ?? [];
  return { status, tally: { passed: Number(passed ?? 0), failed: Number(failed ?? 0), skipped: Number(skipped ?? 0) } };
}

function plain(text) {
  // oxlint-disable-next-line no-control-regex -- colors of a terminal
  return text.replaceAll(/\u001b\[[0-9;]*m/gu, "");
}
