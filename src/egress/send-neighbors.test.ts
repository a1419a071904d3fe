import { expect, test } from "vitest";
import { answerWith, eventually } from "../../test/support/loopback-server.ts";
import { aRequest, aSend, aServer } from "../../test/support/outgoing-request.ts";

const HANGING = 200;

test("a request does not wait for many that hang at the same origin", async () => {
  const server = await aServer((socket, request) => {
    if (!request.head.includes("/hang")) answerWith(200)(socket, request);
  });
  const send = aSend();
  const ends = Array.from({ length: HANGING }, () => new AbortController());
  const hanging = ends.map(({ signal }) => send(aRequest(`${server.url}/hang`, { signal })));
  await eventually(() => server.requests.length === HANGING);
  expect(await send(aRequest(`${server.url}/quick`))).toMatchObject({ kind: "answer", status: 200 });
  for (const end of ends) end.abort();
  await Promise.all(hanging);
});
