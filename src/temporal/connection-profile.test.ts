import { describe, expect, test } from "vitest";
import { readConnectionProfile } from "./connection-profile.ts";

const temporal = { namespace: "orders", taskQueue: "countersign" };

function read(
  environment: Record<string, string | undefined>,
  address?: string,
): ReturnType<typeof readConnectionProfile> {
  // No profile file of whoever runs this test.
  return readConnectionProfile({ temporal, environment: { XDG_CONFIG_HOME: "/nonexistent", ...environment }, address });
}

describe("the connection profile", () => {
  test("is the local server by number when nothing is said", () => {
    expect(read({})).toMatchObject({
      address: "127.0.0.1:7233",
      namespace: "orders",
      options: { address: "127.0.0.1:7233" },
    });
  });

  test("treats an empty variable as an absent one", () => {
    const profile = read({
      TEMPORAL_ADDRESS: "",
      TEMPORAL_NAMESPACE: "",
      TEMPORAL_API_KEY: "",
      TEMPORAL_TLS: undefined,
    });
    expect(profile).toMatchObject({ address: "127.0.0.1:7233", namespace: "orders" });
    expect(profile.options.apiKey).toBeUndefined();
    expect(profile.options.tls).toBeUndefined();
  });

  test("turns TLS on with an API key, unless told otherwise", () => {
    const environment = { TEMPORAL_ADDRESS: "cloud.example:7233", TEMPORAL_API_KEY: "k" };
    expect(read(environment).options).toMatchObject({ address: "cloud.example:7233", apiKey: "k", tls: true });
    expect(read({ ...environment, TEMPORAL_TLS: "false" }).options.tls).toBe(false);
  });

  test("of a server this process started takes nothing from the variables", () => {
    const profile = read(
      { TEMPORAL_ADDRESS: "cloud.example:7233", TEMPORAL_API_KEY: "k", TEMPORAL_NAMESPACE: "other" },
      "127.0.0.1:4711",
    );
    expect(profile).toEqual({ address: "127.0.0.1:4711", namespace: "orders", options: { address: "127.0.0.1:4711" } });
  });
});
