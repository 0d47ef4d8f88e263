import { execFile } from "node:child_process";
import { mkdir, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createPostgresLibrarySymlinks } from "../../../../src/platform/database/embedded/library-links.ts";
import type { NativePostgresPackage } from "../../../../src/platform/database/embedded/native-package.ts";
import { preparePostgresBinaries } from "../../../../src/platform/database/embedded/server-binaries.ts";
import { temporaryDirectory } from "../processes/temporary-directory.ts";

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const nobody = { name: "nobody", uid: 65_534, gid: 65_534 };
const version = "18.4.0";

/** A package of the right shape, without links, as `npm ci --ignore-scripts` leaves it. */
async function packageBelow(parent: string): Promise<NativePostgresPackage> {
  const directory = join(parent, "native");
  const links = [{ source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" }];
  const files = {
    "bin/initdb": "#!/bin/sh\necho initdb",
    "bin/postgres": "#!/bin/sh\necho postgres",
    "lib/libpq.so.5.18": "",
    "lib/libpq.a": "",
    "share/postgresql/postgres.bki": "",
    "pg-symlinks.json": JSON.stringify(links),
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), content, { mode: 0o755 });
  }
  return { directory, version };
}

async function printed(
  program: string,
  options: { uid?: number; gid?: number } = {},
): Promise<string> {
  return (await run(program, { ...options, cwd: "/" })).stdout.trim();
}

test("links that an install script would have made are made, once and by several at once", async () => {
  const native = await packageBelow(await temporaryDirectory());
  await Promise.all([
    createPostgresLibrarySymlinks(native.directory),
    createPostgresLibrarySymlinks(native.directory),
  ]);
  expect(await readlink(join(native.directory, "lib", "libpq.so.5"))).toBe("libpq.so.5.18");
});

test("a package that can be used where it lies is", async () => {
  const native = await packageBelow(await temporaryDirectory());
  const { initdb } = await preparePostgresBinaries(native, undefined, "/nowhere");
  expect(initdb).toBe(join(native.directory, "bin", "initdb"));
  expect(await readdir(join(native.directory, "lib"))).toContain("libpq.so.5");
});

test.runIf(isRoot)(
  "a package below a closed directory is copied to where the account reads it, once",
  async () => {
    const native = await packageBelow(await temporaryDirectory(0o700));
    const copies = join(await temporaryDirectory(), "state");
    const prepare = () => preparePostgresBinaries(native, nobody, copies);
    const [first, second] = await Promise.all([prepare(), prepare()]);
    expect(second).toEqual(first);
    expect(await readdir(copies)).toEqual([`postgresql-${version}`]);
    expect(await printed(first.postgres, nobody)).toBe("postgres");
    expect(await readdir(join(copies, `postgresql-${version}`, "lib"))).toEqual([
      "libpq.so.5",
      "libpq.so.5.18",
    ]);

    await writeFile(first.postgres, "#!/bin/sh\necho kept");
    await prepare();
    expect(await printed(first.postgres)).toBe("kept");
  },
);

test.runIf(isRoot)("a package installed under a strict umask is copied as well", async () => {
  const native = await packageBelow(await temporaryDirectory());
  await run("chmod", ["-R", "go-rwx", native.directory]);
  const copies = await temporaryDirectory();
  const { initdb } = await preparePostgresBinaries(native, nobody, copies);
  expect(initdb.startsWith(copies)).toBe(true);
  expect(await printed(initdb, nobody)).toBe("initdb");
});

test("a place for the copy that cannot be written is named", async () => {
  const parent = await temporaryDirectory();
  const native = await packageBelow(parent);
  // A file where the libraries should be: no link can be made there.
  await rm(join(native.directory, "lib"), { recursive: true });
  await writeFile(join(native.directory, "lib"), "");
  const copies = join(native.directory, "lib");
  await expect(preparePostgresBinaries(native, undefined, copies)).rejects.toThrow(
    /Cannot copy PostgreSQL from .* to .*lib. Make that directory writable, or set DATABASE_URL/,
  );
});
