import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { ConfigurationError } from "./configuration-error.ts";

/**
 * The text of a file of the data directory, without white space around it; a
 * file that is not there is created with `create`, for its owner alone. It is
 * created whole or not at all, and of processes that create it at once the
 * first wins: a temporary file is linked to the name. Throws a
 * `ConfigurationError` that names the file when it cannot be read or written.
 */
export function readOrCreateFile(path: string, create: () => string): string {
  return readIfPresent(path) ?? createOnce(path, create());
}

function createOnce(path: string, text: string): string {
  try {
    linkNewFile(path, text);
  } catch (error) {
    if (reasonOf(error) !== "EEXIST") throw unusable(path, "written", error);
  }
  return readIfPresent(path) ?? text;
}

function linkNewFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  writeFileSync(temporary, `${text}\n`, { mode: 0o600, flag: "wx" });
  try {
    linkSync(temporary, path);
  } finally {
    unlinkSync(temporary);
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    if (reasonOf(error) === "ENOENT") return undefined;
    throw unusable(path, "read", error);
  }
}

function unusable(path: string, use: string, error: unknown): ConfigurationError {
  return new ConfigurationError(path, `cannot be ${use} (${reasonOf(error)})`);
}

function reasonOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
