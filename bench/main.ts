/** `npm run bench`: what an event costs, beside what the bare SDK costs on the same machine in the same minute. */
import { type BenchOptions, parseArguments } from "./options.ts";
import { asText } from "./report.ts";
import { runBench } from "./run.ts";

const parsed = parseArguments(process.argv.slice(2));
if ("mistake" in parsed) {
  console.error(parsed.mistake);
  process.exitCode = 2;
} else {
  process.exitCode = await bench(parsed.options);
}

async function bench(options: BenchOptions): Promise<number> {
  try {
    const report = await runBench(options, (sentence) => console.error(sentence));
    console.log(options.json ? JSON.stringify(report, null, 2) : `\n${asText(report)}`);
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
}
