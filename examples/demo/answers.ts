/** How the demo's destination meets the first request of the first event; the contract of `--answer`. */

const FIRST_ANSWERS = ["503", "429", "400", "timeout"] as const;

export type FirstAnswer = (typeof FIRST_ANSWERS)[number];

export const RETRY_AFTER_S = 2;

export interface DemoOptions {
  readonly answer: FirstAnswer;
  readonly json: boolean;
  /** Keep server and worker up after the last line, until Ctrl-C. */
  readonly stay: boolean;
}

export type ParsedArguments = { readonly options: DemoOptions } | { readonly mistake: string };

const USAGE = `Usage: npm run demo -- [--answer ${FIRST_ANSWERS.join("|")}] [--json] [--stay]`;

export function parseArguments(args: readonly string[]): ParsedArguments {
  const options = { answer: "503" as FirstAnswer, json: false, stay: false };
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? "";
    if (word === "--json") options.json = true;
    else if (word === "--stay") options.stay = true;
    else if (word === "--answer") {
      index += 1;
      const answer = FIRST_ANSWERS.find((known) => known === args[index]);
      if (answer === undefined)
        return { mistake: `--answer takes ${FIRST_ANSWERS.join(", ")}, not ${args[index] ?? "nothing"}. ${USAGE}` };
      options.answer = answer;
    } else return { mistake: `Unknown argument ${word}. ${USAGE}` };
  }
  return { options };
}
