import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A directory with that mode and owner, removed when the test ends. */
export async function temporaryDirectory(mode = 0o755, owner?: number): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "database-"));
  await chmod(path, mode);
  if (owner !== undefined) await chown(path, owner, owner);
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}
