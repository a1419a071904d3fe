import { Connection } from "@temporalio/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Connected } from "../../src/temporal/connect.ts";
import { ensureSearchAttributes, withSearchAttributeRetry } from "../../src/temporal/search-attributes.ts";
import { startRefusingServer } from "../support/silent-servers.ts";
import { connectTestClient, uniqueName } from "../support/temporal.ts";

const GRPC = { invalidArgument: 3, permissionDenied: 7 } as const;
let connected: Connected<Connection>;

beforeAll(async () => {
  connected = await connectTestClient();
});

afterAll(() => connected.close());

/** A server that closes its operator service and answers visibility counts with the given status. */
async function withClosedOperatorService(
  countStatus: number,
  use: (connection: Connection) => Promise<void>,
): Promise<void> {
  const server = await startRefusingServer((method) =>
    method === "CountWorkflowExecutions" ? countStatus : GRPC.permissionDenied,
  );
  const connection = Connection.lazy({ address: server.address });
  try {
    await use(connection);
  } finally {
    await connection.close();
    await server.close();
  }
}

describe("the search attributes", () => {
  test("come with the shared server, and making sure of them changes nothing", async () => {
    await expect(ensureSearchAttributes(connected.connection, "default")).resolves.toBeUndefined();
  });

  test("that may not be registered are one sentence with the command to run", async () => {
    await withClosedOperatorService(GRPC.invalidArgument, async (connection) => {
      await expect(ensureSearchAttributes(connection, "orders")).rejects.toMatchObject({
        code: "search_attributes_missing",
        message: expect.stringContaining(
          "temporal operator search-attribute create --namespace orders --name CountersignState --type Keyword --name CountersignReason --type Keyword --name CountersignType --type Keyword --name CountersignEndpoints --type KeywordList",
        ),
      });
    });
  });

  test("that exist with another type are refused by name", async () => {
    const namespace = uniqueName("clash");
    const { workflowService, operatorService } = connected.connection;
    await workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod:
        (await workflowService.describeNamespace({ namespace: "default" })).config?.workflowExecutionRetentionTtl ??
        null,
    });
    await expect
      .poll(
        () =>
          operatorService.addSearchAttributes({ namespace, searchAttributes: { CountersignState: 3 } }).then(
            () => true,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true);
    await expect(ensureSearchAttributes(connected.connection, namespace)).rejects.toMatchObject({
      code: "search_attributes_missing",
      message: expect.stringMatching(/CountersignState exists in namespace clash-.* with another type than Keyword/),
    });
  });

  test("of a namespace that does not exist are the server's own error", async () => {
    await expect(ensureSearchAttributes(connected.connection, uniqueName("nowhere"))).rejects.toThrow(/not found/);
  });
});

describe("starting on a server that has just learned an attribute", () => {
  const missing = Object.assign(new Error("3 INVALID_ARGUMENT"), {
    code: 3,
    details: "Namespace default has no mapping defined for search attribute CountersignType",
  });

  test("is repeated until it works", async () => {
    let calls = 0;
    const start = async (): Promise<number> => {
      calls += 1;
      if (calls < 3) throw new Error("Failed to start", { cause: missing });
      return calls;
    };
    await expect(withSearchAttributeRetry(start)).resolves.toBe(3);
  });

  test("ends with the server's error when the time is up", async () => {
    await expect(withSearchAttributeRetry(() => Promise.reject(missing), 150)).rejects.toBe(missing);
  });

  test("repeats nothing for any other reason", async () => {
    let calls = 0;
    const other = Object.assign(new Error("3 INVALID_ARGUMENT"), { code: 3, details: "workflow id too long" });
    const start = async (): Promise<never> => {
      calls += 1;
      throw other;
    };
    await expect(withSearchAttributeRetry(start)).rejects.toBe(other);
    expect(calls).toBe(1);
  });
});
