import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { newToken } from "../crypto/token.ts";
import { ConfigurationError } from "./configuration-error.ts";
import type { Configuration } from "./configuration.ts";

/** What an instance needs beside its configuration. */
export interface InstanceSecrets {
  /** Master keys, 32 bytes each; the first seals. */
  readonly secretKeys: readonly Buffer[];
  /** Undefined: the operator API is off. */
  readonly adminToken: string | undefined;
}

/**
 * The master keys and the operator token: as configured, and in embedded mode
 * otherwise generated once into the data directory (mode 0600). Two processes
 * that start at the same time agree on one value.
 */
export function loadInstanceSecrets(configuration: Configuration): InstanceSecrets {
  const { dataDirectory, databaseUrl, secretKeys, adminToken } = configuration;
  if (databaseUrl !== undefined) return { secretKeys: secretKeys ?? [], adminToken };
  createDataDirectory(dataDirectory);
  return {
    secretKeys: secretKeys ?? [readMasterKey(join(dataDirectory, "secret-key"))],
    adminToken:
      adminToken ?? readOrCreate(join(dataDirectory, "admin-token"), () => newToken("cwa")),
  };
}

function createDataDirectory(path: string): void {
  try {
    // Parents that are made on the way stay open: the database may run under another account.
    mkdirSync(dirname(path), { recursive: true });
    // Not recursive: below /proc that would try for ever.
    if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code;
    // Another process was faster.
    if (reason === "EEXIST" && existsSync(path)) return;
    throw new ConfigurationError("CAUSEWAY_DATA_DIR", `${path} cannot be created (${reason})`);
  }
}

function readMasterKey(path: string): Buffer {
  const text = readOrCreate(path, () => randomBytes(32).toString("base64"));
  const key = Buffer.from(text, "base64");
  if (key.length !== 32) throw new ConfigurationError(path, "must hold 32 bytes in base64");
  return key;
}

/** Creates the file whole or not at all: a temporary file is linked to the name, the first one wins. */
export function readOrCreate(path: string, create: () => string): string {
  const existing = readIfPresent(path);
  if (existing !== undefined) return existing;
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  writeFileSync(temporary, `${create()}\n`, { mode: 0o600, flag: "wx" });
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    unlinkSync(temporary);
  }
  return readFileSync(path, "utf8").trim();
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code;
    if (reason === "ENOENT") return undefined;
    throw new ConfigurationError(path, `cannot be read (${reason})`);
  }
}
