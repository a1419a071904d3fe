import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseConfig } from "../config/parse-config.ts";
import { runPage, runUrl } from "./temporal-ui.ts";

const CONFIG = parseConfig({}, { path: null });

async function aListeningPort(): Promise<number> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port; // a listening TCP server has one
}

describe("runUrl", () => {
  test("is known when the UI is named", async () => {
    const environment = { COUNTERSIGN_TEMPORAL_UI: "https://temporal.example/", TEMPORAL_NAMESPACE: "prod" };
    expect(await runUrl(CONFIG, environment, "shop/a b")).toBe(
      "https://temporal.example/namespaces/prod/workflows/shop%2Fa%20b",
    );
  });

  test("is known when something listens where a development server has its UI", async () => {
    const uiPort = await aListeningPort();
    const found = await runUrl(CONFIG, { TEMPORAL_ADDRESS: `127.0.0.1:${uiPort - 1000}` }, "shop/a");
    expect(found).toBe(runPage(`http://127.0.0.1:${uiPort}`, "default", "shop/a"));
  });

  test.each(["127.0.0.1:65535", "temporal.example:7233", "127.0.0.1:1"])("is not guessed for %s", async (address) => {
    expect(await runUrl(CONFIG, { TEMPORAL_ADDRESS: address }, "shop/a")).toBeNull();
  });
});
