/** What documents tell people to type is what the command line takes; and docs/cli.md tells of every verb there is. */
import { readdir, readFile } from "node:fs/promises";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import type { Perform } from "../../src/cli/perform.ts";
import { addVerbs } from "../../src/cli/verbs.ts";

/** Those of docs/proof are outputs of programs. */
const FOLDERS = ["docs", "docs/decisions", "docs/runbooks"];
const docs = await Promise.all(
  FOLDERS.map(async (folder) => (await readdir(folder)).map((name) => `${folder}/${name}`)),
);
const PAGES = ["README.md", "CONTRIBUTING.md", ...docs.flat().filter((name) => name.endsWith(".md"))];

/** The command line without what its verbs do; answers the verb that would have been done. */
async function parsed(argv: readonly string[]): Promise<string> {
  let verb = "";
  const program = aProgram(async (name) => await Promise.resolve(void (verb = name)));
  await program.parseAsync([...argv], { from: "user" });
  return verb;
}

function aProgram(perform: Perform): Command {
  const program = new Command("countersign").option("--config <file>").exitOverride();
  program.configureOutput({ writeErr: () => undefined });
  addVerbs(program, perform);
  return program;
}

/** `countersign …` of the shell examples, as a shell would split it; what comes from a pipe or goes to the background is cut off. */
async function commandsOf(page: string): Promise<readonly (readonly string[])[]> {
  const blocks = [...(await readFile(page, "utf8")).matchAll(/^ *```sh\n(.*?)^ *```/gms)].map(
    ([, block = ""]) => block,
  );
  return blocks
    .flatMap((block) => block.replaceAll("\\\n", " ").split("\n"))
    .flatMap((line) => /(?:^|\| |npx )\s*countersign ((?:[^'"#&|]|'[^']*'|"[^"]*")*)/.exec(line)?.[1] ?? [])
    .map((words) => (words.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? []).map((word) => word.replaceAll(/^['"]|['"]$/g, "")));
}

test.each(PAGES)("every command of %s is one", async (page) => {
  for (const argv of await commandsOf(page)) expect([argv, await parsed(argv)]).toEqual([argv, argv[0]]);
});

test("the commands are found where they are", async () => {
  const found = await Promise.all(
    ["README.md", "docs/cli.md", "docs/ingest.md", "docs/bulk-replay.md"].map(commandsOf),
  );
  for (const commands of found) expect(commands.length).toBeGreaterThan(6);
  await expect(parsed(["send", "--sorce", "shop"])).rejects.toThrow("unknown option '--sorce'");
});

/** Leaves of the tree: `keys create`, not `keys`. */
function verbsOf(command: Command, before = ""): readonly { readonly name: string; readonly command: Command }[] {
  return command.commands.flatMap((child) => {
    const name = `${before}${child.name()}`;
    return child.commands.length === 0 ? [{ name, command: child }] : verbsOf(child, `${name} `);
  });
}

describe.each(verbsOf(aProgram(async () => await Promise.resolve())))("$name", ({ name, command }) => {
  test("is in docs/cli.md, with each option of its own, and in the changelog", async () => {
    const [page, changelog] = await Promise.all(["docs/cli.md", "CHANGELOG.md"].map((file) => readFile(file, "utf8")));
    expect(page).toMatch(new RegExp(`\`(?:[a-z ]+\`, \`)*${name}[\` ,]`));
    const options = command.options.map(({ long }) => long).filter((long) => !page?.includes(`${long}`));
    expect(options).toEqual([]);
    expect(changelog?.replaceAll(/\s+/g, " ")).toMatch(new RegExp(`\`${name}\``));
  });
});
