import { access } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DatabaseStartError } from "../../../../src/platform/database/database-start-error.ts";
import { locateNativePostgresPackage } from "../../../../src/platform/database/embedded/native-package.ts";

test("finds the programs that npm installed for this platform, and their version", async () => {
  const { directory, version } = locateNativePostgresPackage();
  await access(join(directory, "bin", "postgres"));
  expect(version).toMatch(/^18\./);
});

test.each(["win32-x64", "freebsd-x64", "linux-ia32"])(
  "refuses %s and says what to do",
  (platform) => {
    expect(() => locateNativePostgresPackage(platform)).toThrow(DatabaseStartError);
    expect(() => locateNativePostgresPackage(platform)).toThrow(
      `does not run on ${platform}. Set DATABASE_URL`,
    );
  },
);

test("says how to install the package where it is missing", () => {
  const other = process.platform === "darwin" ? "linux-x64" : "darwin-x64";
  expect(() => locateNativePostgresPackage(other)).toThrow(
    /is not installed. Run `npm ci`.*DATABASE_URL/,
  );
});
