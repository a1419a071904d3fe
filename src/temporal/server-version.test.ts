import { describe, expect, test } from "vitest";
import { isSupportedServer } from "./server-version.ts";

describe("a server version", () => {
  test.each(["1.29.0", "1.29.0-rc1", "v1.30.2", "1.32.0", "2.0.0", "1.100.0"])("%s is supported", (version) => {
    expect(isSupportedServer(version)).toBe(true);
  });

  test.each(["1.28.9", "1.9.0", "0.99.99", "", "unknown", "1.29"])("'%s' is not supported", (version) => {
    expect(isSupportedServer(version)).toBe(false);
  });
});
