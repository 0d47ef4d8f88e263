import { randomUUID } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";

/**
 * Creates a file that only its owner may read, complete or not at all. Where it
 * exists already, or another process is faster, that one stays.
 *
 * @returns what the file holds, white space at its ends taken off
 */
export async function createOnce(path: string, makeContent: () => string): Promise<string> {
  const present = await readIfPresent(path);
  if (present !== undefined) return present;
  const staging = `${path}.${randomUUID()}`;
  await writeFile(staging, `${makeContent()}\n`, { mode: 0o600, flag: "wx" });
  try {
    await link(staging, path);
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
  } finally {
    await rm(staging);
  }
  return (await readFile(path, "utf8")).trim();
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
