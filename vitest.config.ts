import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["src/**/*.test.ts", "test/unit/**/*.test.ts"], pool: "forks", testTimeout: 20_000 } },
      {
        test: {
          name: "server",
          include: ["test/server/**/*.test.ts"],
          pool: "forks",
          fileParallelism: false,
          globalSetup: ["test/support/temporal-server.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          pool: "forks",
          fileParallelism: false,
          globalSetup: ["test/support/temporal-server.ts"],
          testTimeout: 180_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
