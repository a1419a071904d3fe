/** The import table of docs/architecture.md is what the linter enforces, from every depth of a folder. */
import { readdir, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";

interface Row {
  /** Folders, and single files of one. */
  readonly places: readonly string[];
  readonly packages: readonly string[];
}

const page = await readFile("docs/architecture.md", "utf8");
const NAMES = (await readdir("src", { withFileTypes: true })).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

const ROWS: ReadonlyMap<string, Row> = new Map(
  [...page.matchAll(/^\| `(\w+)\/` +\|[^|]+\|([^|]*)\|([^|]*)\|$/gm)].map(([, name = "", places, packages]) => [
    name,
    { places: wordsOf(places), packages: wordsOf(packages) },
  ]),
);

function wordsOf(cell = ""): readonly string[] {
  return cell
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

/** What a folder's entry refuses to take values from; null = there is no entry. */
async function refusedBy(name: string): Promise<readonly RegExp[] | null> {
  const text = (await readFile(".oxlintrc.json", "utf8")).replaceAll(/^\s*\/\/.*$/gm, "");
  const { overrides } = JSON.parse(text) as { readonly overrides: readonly object[] }; // the linter reads it, too
  const entry = overrides.find((override) => JSON.stringify(override).includes(`"src/${name}/**/*.ts"`));
  if (entry === undefined) return null;
  const patterns = JSON.stringify(entry).matchAll(/"regex":("(?:[^"\\]|\\.)*")/g);
  return [...patterns].map(([, regex = ""]) => new RegExp(JSON.parse(regex) as string)); // a string by the pattern
}

const ALL_PACKAGES = new Set([...ROWS.values()].flatMap(({ packages }) => packages));

test("every folder has its row in the table, and no other has one", () => {
  expect([...ROWS.keys()].toSorted()).toEqual(NAMES.toSorted());
});

describe.each(NAMES)("%s/", (name) => {
  const { places, packages } = ROWS.get(name) ?? { places: [], packages: [] };

  test("takes values from the folders of its row and from no others", async () => {
    const refused = await refusedBy(name);
    const isRefused = (specifier: string): boolean => refused?.some((regex) => regex.test(specifier)) ?? false;
    for (const up of ["../", "../../"]) {
      const taken = NAMES.filter((other) => other !== name && !isRefused(`${up}${other}/x.ts`));
      expect(taken.toSorted()).toEqual(places.filter((place) => !place.includes("/")).toSorted());
      const files = places.filter((place) => place.includes("/"));
      expect(files.filter((file) => isRefused(`${up}${file}`))).toEqual([]);
      expect(isRefused(`${up}errors.ts`)).toBe(false);
    }
  });

  test("takes the packages of its row and none of the others'", async () => {
    const refused = await refusedBy(name);
    const taken = [...ALL_PACKAGES].filter((word) => !refused?.some((regex) => regex.test(word)));
    // What a folder may have of Node itself is told only of the pure ones.
    const told = taken.filter((word) => !word.startsWith("node:") || packages.includes(word) || PURE.has(name));
    expect(told.toSorted()).toEqual(packages.toSorted());
  });
});

const PURE = new Set(["delivery", "workflows", "signing", "access", "audit"]);
