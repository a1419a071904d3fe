import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";

const OWNERS = ["@temporalio/proto", "@temporalio/common", "@temporalio/worker"] as const;
const require = createRequire(import.meta.url);

function protobufjsOf(owner: string): string {
  return realpathSync(createRequire(require.resolve(owner)).resolve("protobufjs"));
}

describe("protobufjs", () => {
  // Several copies break everything that converts JSON to histories: "TypeError: type must be a Type".
  test("is one single copy for every Temporal package", () => {
    const copies = new Set([...OWNERS.map(protobufjsOf), realpathSync(require.resolve("protobufjs"))]);
    expect([...copies]).toHaveLength(1);
  });
});
