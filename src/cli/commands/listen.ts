/** `listen`: a local destination that shows what arrives and answers as told. */
import { ACCEPTING, answerText, inTurn, parseAnswers } from "../listen-answers.ts";
import { startListenServer } from "../listen-server.ts";
import { requestBlock, requestRecord } from "../request-block.ts";
import type { CliContext } from "../context.ts";
import { untilAborted } from "../signals.ts";

export interface ListenCommand {
  readonly port: number;
  readonly answer?: string;
  readonly secret?: readonly string[];
}

export async function listen(context: CliContext, options: ListenCommand): Promise<number> {
  const { terminal, json } = context;
  const answers = options.answer === undefined ? [ACCEPTING] : parseAnswers(options.answer);
  const stop = context.takeSignals();
  const server = await startListenServer({
    port: options.port,
    secrets: options.secret ?? [],
    answer: inTurn(answers),
    onRequest(request) {
      // One line each, whatever the terminal: programs read them as they come.
      if (json) terminal.out(JSON.stringify(requestRecord(request)));
      else terminal.out(requestBlock(request, terminal.colors));
    },
  });
  if (json) terminal.out(JSON.stringify({ listening: server.url, port: server.port }));
  else terminal.out(welcome(server.url, answers.map(answerText)));
  await untilAborted(stop.signal);
  await server.close();
  stop.release();
  return 0;
}

function welcome(url: string, answers: readonly string[]): string {
  return [
    `Listening on ${url}, answering ${answers.join(", then ")}. Stop with Ctrl-C.`,
    `As an endpoint: { url: '${url}', allowPrivate: ['127.0.0.0/8'] }`,
    "",
  ].join("\n");
}
