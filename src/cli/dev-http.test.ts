import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { aConfig } from "../../test/support/a-config.ts";
import { aContext } from "../../test/support/a-context.ts";
import { createLogger } from "../telemetry/logger.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { startDevHttp, usableSources } from "./dev-http.ts";

const sources = {
  shop: {},
  stripe: { verify: { scheme: "stripe", secrets: [{ env: "OLD" }, { env: "NEW" }] } },
} as const;
const config = aConfig({ baseUrl: "https://x.example", endpoints: { crm: {} }, rest: { sources } });

describe("the sources of dev", () => {
  test("are all there with their secrets", () => {
    expect(usableSources(config, { OLD: "a", NEW: "b" })).toMatchObject({ usable: config.sources, notes: [] });
  });

  test("keep a provider's hook closed while a secret is missing, and say so", () => {
    const { usable, notes } = usableSources(config, { OLD: "a", NEW: "" });
    expect(usable["stripe"]).toMatchObject({ verify: null });
    expect(notes).toEqual(["Source stripe takes no webhooks here: NEW not set."]);
  });
});

test("a port that is taken is an error only where somebody asked for it", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo; // a listening TCP server has one
  const parts = { config, address: "127.0.0.1:1", log: createLogger("silent"), metrics: createMetrics() };
  await expect(startDevHttp(aContext().context, { ...parts, port })).rejects.toMatchObject({
    code: "server_unavailable",
  });
  other.close();
});
