/** docker-compose.yml, checked by Docker itself where its client has compose; no engine is needed. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { run } from "../support/run-npm.ts";

async function succeeds(...args: readonly string[]): Promise<boolean> {
  return await run("docker", args).then(
    ({ exitCode }) => exitCode === 0,
    () => false,
  );
}

test.skipIf(!(await succeeds("compose", "version")))("is valid", async () => {
  expect(await run("docker", ["compose", "config", "--quiet"])).toMatchObject({ exitCode: 0, stderr: "" });
});

test("pins every image and listens on this machine only", async () => {
  const file = await readFile("docker-compose.yml", "utf8");
  const images = [...file.matchAll(/^\s*image:\s*(\S+)/gm)].map(([, image = ""]) => image);
  expect(images.length).toBeGreaterThanOrEqual(3);
  for (const image of images) expect(image).toMatch(/:\d+\.\d+/);
  const ports = [...file.matchAll(/^\s*-\s*"?([\d.:]+:\d+)"?\s*$/gm)].map(([, port = ""]) => port);
  expect(ports.length).toBeGreaterThan(0);
  for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
});
