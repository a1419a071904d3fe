import { expect, test } from "vitest";
import { chooseConfig } from "./choose-config.ts";

const raw = { endpoints: { crm: { url: "https://crm.example/" } } } as const;

test("takes an object in code, and checks it as a file is checked", async () => {
  expect((await chooseConfig(raw, {})).endpoints["crm"]).toMatchObject({ url: "https://crm.example/", method: "POST" });
  const wrong = { endpoints: { crm: { url: "https://crm.example/", retry: "never" } } };
  await expect(chooseConfig(wrong as unknown as typeof raw, {})).rejects.toMatchObject({ code: "config_invalid" });
});

test("takes a checked one as it is", async () => {
  const checked = await chooseConfig(raw, {});
  expect(await chooseConfig(checked, {})).toBe(checked);
});
