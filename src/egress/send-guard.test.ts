import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { answerWith, tlsFile } from "../../test/support/loopback-server.ts";
import { aRequest, aSend, aServer } from "../../test/support/outgoing-request.ts";
import type { Resolve } from "./connector.ts";

const blocked = { kind: "failure", code: "blocked_address", certainty: "not-sent" };
const resolvesTo = (...lists: readonly (readonly string[])[]): Resolve => {
  let call = 0;
  return async () => {
    const list = lists[Math.min(call, lists.length - 1)] ?? [];
    call += 1;
    return list.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
};

describe("the address guard on the real path", () => {
  test("refuses loopback, as address and as name, without allowPrivate", async () => {
    const server = await aServer(answerWith(200));
    const send = aSend();
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      expect(
        await send(aRequest(`https://${host}:${server.port}/`, { allowPrivate: [], ports: [server.port] })),
      ).toMatchObject(blocked);
    }
    expect(server.connectionCount()).toBe(0);
  });

  test.each([
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "127.1",
    "127.0.0.1.",
    "0",
    "①②⑦.⓪.⓪.①",
    "%31%32%37.0.0.1",
    "127%2e0%2e0%2e1",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[::]",
    "[::1]",
    "0300.0250.1.1",
    "169.254.43518",
    "0xa9fea9fe",
    "localhost.",
  ])("refuses the spelling %s", async (host) => {
    const server = await aServer(answerWith(200));
    expect(
      await aSend()(aRequest(`https://${host}:${server.port}/`, { allowPrivate: [], ports: [server.port] })),
    ).toMatchObject({
      kind: "failure",
      code: expect.stringMatching(/^(blocked_address|dns_not_found|dns_failed)$/),
      certainty: "not-sent",
    });
    expect(server.connectionCount()).toBe(0);
  });

  test.each([
    ["userinfo", "https://user:pw@127.0.0.1:{port}/"],
    ["userinfo that looks like a host", "https://example.com@127.0.0.1:{port}/"],
    ["a fragment", "https://127.0.0.1:{port}/#frag"],
    ["another scheme", "ftp://127.0.0.1:{port}/"],
  ])("refuses %s, even where the address is allowed", async (_what, template) => {
    const server = await aServer(answerWith(200));
    expect(await aSend()(aRequest(template.replace("{port}", String(server.port))))).toMatchObject(blocked);
    expect(server.connectionCount()).toBe(0);
  });

  test.each([
    "http://[fe80::1%25lo]/",
    "http://256.1.1.1/",
    "http://1.2.3.4.5/",
    "http:///",
    "http://exa mple.com",
    "http://127.0.0.1%00.example.com/",
  ])("cannot even parse %s", async (url) => {
    expect(await aSend()(aRequest(url))).toMatchObject({ code: "request_invalid", certainty: "not-sent" });
  });

  test.each([
    ["a public and a private address", ["93.184.215.14", "127.0.0.1"]],
    ["a private address in IPv6 clothes", ["::ffff:127.0.0.1"]],
    ["a metadata address", ["169.254.169.254"]],
    ["an address nobody can parse", ["127.1"]],
  ])("refuses a name with %s", async (_what, addresses) => {
    const server = await aServer(answerWith(200));
    const send = aSend({ resolve: resolvesTo(addresses) });
    expect(
      await send(aRequest(`https://receiver.example:${server.port}/`, { allowPrivate: [], ports: [server.port] })),
    ).toMatchObject(blocked);
    expect(server.connectionCount()).toBe(0);
  });

  test("refuses a name with one allowed and one private address", async () => {
    const send = aSend({ resolve: resolvesTo(["127.0.0.1", "10.0.0.1"]) });
    expect(await send(aRequest("http://receiver.example:9/", { allowPrivate: ["127.0.0.0/8"] }))).toMatchObject(
      blocked,
    );
  });

  test("connects to the address it has checked, not to a later answer", async () => {
    const vetted = await aServer(answerWith(200), { host: "127.0.0.2" });
    const other = await aServer(answerWith(200));
    const resolve = resolvesTo(["127.0.0.2"], ["127.0.0.1"]);
    const request = aRequest(`http://receiver.example:${vetted.port}/`, { allowPrivate: ["127.0.0.2/32"] });
    const send = aSend({ resolve });
    expect(await send(request)).toMatchObject({ status: 200 });
    expect(await send({ ...request, freshConnection: true })).toMatchObject(blocked);
    expect([vetted.requests.length, other.connectionCount()]).toEqual([1, 0]);
  });

  test("does not reach a private address through a redirect", async () => {
    const inside = await aServer(answerWith(200), { host: "127.0.0.2" });
    const server = await aServer(answerWith(307, [`Location: http://127.0.0.2:${inside.port}/`]));
    expect(await aSend()(aRequest(server.url, { allowPrivate: ["127.0.0.1/32"] }))).toMatchObject({
      kind: "answer",
      status: 307,
    });
    expect(inside.connectionCount()).toBe(0);
  });
});

describe("schemes and ports", () => {
  const resolve = resolvesTo(["93.184.215.14"]);

  test.each([
    "http://receiver.example/",
    "http://receiver.example:443/",
    "https://receiver.example:8080/",
    "https://receiver.example:0/",
  ])("refuses %s at a public address", async (url) => {
    expect(await aSend({ resolve })(aRequest(url))).toMatchObject(blocked);
  });

  test("allows the ports that browsers refuse where the address is covered", async () => {
    const server = createServer((_request, response) => response.end());
    const port = await new Promise<number | null>((done) => {
      server.once("error", () => done(null));
      server.listen(10_080, "127.0.0.1", () => done((server.address() as AddressInfo).port));
    });
    onTestFinished(() => void server.close());
    const exchange = await aSend()(aRequest("http://127.0.0.1:10080/"));
    // Somebody else may hold that port; what counts is that it was tried.
    expect(exchange.kind === "answer" || exchange.code !== "blocked_address").toBe(true);
    if (port !== null) expect(exchange).toMatchObject({ kind: "answer", status: 200 });
  });

  test("allows https at a listed port only by its certificate", async () => {
    const server = await aServer(answerWith(200), { tls: { cert: tlsFile("valid.pem"), key: tlsFile("server.key") } });
    const send = aSend({ ca: tlsFile("ca.pem") });
    expect(await send(aRequest(server.url, { ports: [server.port] }))).toMatchObject({ status: 200 });
  });
});
