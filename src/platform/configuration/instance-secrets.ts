import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { generateCredentialToken } from "../crypto/token.ts";
import { ConfigurationError } from "./configuration-error.ts";
import type { Configuration } from "./configuration.ts";
import { adminTokenPattern, adminTokenFormatDescription } from "./environment.ts";
import { readOrCreateFile } from "./read-or-create.ts";

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
 * that start at the same time agree on one value. Throws a `ConfigurationError`
 * for a directory or a file that cannot be used.
 */
export function loadInstanceSecrets(configuration: Configuration): InstanceSecrets {
  const { dataDirectory, databaseUrl, secretKeys, adminToken } = configuration;
  if (databaseUrl !== undefined) return { secretKeys: secretKeys ?? [], adminToken };
  createDataDirectory(dataDirectory);
  return {
    secretKeys: secretKeys ?? [readMasterKey(join(dataDirectory, "secret-key"))],
    adminToken: adminToken ?? readAdminToken(join(dataDirectory, "admin-token")),
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
  const text = readOrCreateFile(path, () => randomBytes(32).toString("base64"));
  const key = Buffer.from(text, "base64");
  if (key.length !== 32) throw new ConfigurationError(path, "must hold 32 bytes in base64");
  return key;
}

function readAdminToken(path: string): string {
  const token = readOrCreateFile(path, () => generateCredentialToken("cwa"));
  if (adminTokenPattern.test(token)) return token;
  throw new ConfigurationError(path, `must hold ${adminTokenFormatDescription}`);
}
