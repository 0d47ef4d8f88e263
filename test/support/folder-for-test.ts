import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Creates an empty folder that is removed when the test ends. */
export function folderForTest(): string {
  const folder = makeFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), "causeway-folder-"));
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
