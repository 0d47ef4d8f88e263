import { chmod, mkdir, readFile, rm, rmdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { PostgresClusterPaths } from "../../../../src/platform/database/embedded/cluster-location.ts";
import { preparePostgresSocketDirectory } from "../../../../src/platform/database/embedded/socket-directory.ts";
import { temporaryDirectory } from "../processes/temporary-directory.ts";

async function location(name: string): Promise<PostgresClusterPaths> {
  const home = join(await temporaryDirectory(), name);
  await mkdir(home);
  return {
    dataDirectory: home,
    home,
    cluster: join(home, "data"),
    copiesDirectory: home,
    account: undefined,
  };
}

/** Too long for a socket. */
const long = "long".repeat(30);

async function far(place: PostgresClusterPaths): Promise<string> {
  const directory = await preparePostgresSocketDirectory(place);
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

test("it is in the home, private, and the same again", async () => {
  const place = await location("near");
  const directory = await preparePostgresSocketDirectory(place);
  expect(directory).toBe(join(place.home, "run"));
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
  expect(await preparePostgresSocketDirectory(place)).toBe(directory);
});

test("a long path moves it under the temporary directory, under a name that is kept", async () => {
  const place = await location(long);
  const directory = await far(place);
  expect(directory.length).toBeLessThan(85);
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
  await rm(directory, { recursive: true });
  expect(await preparePostgresSocketDirectory(place)).toBe(directory);
  expect((await readFile(join(place.home, "socket-location"), "utf8")).trim()).toBe(directory);
});

test("a name that somebody else took is given up", async () => {
  const place = await location(long);
  const directory = await far(place);
  await chmod(directory, 0o777);
  const second = await far(place);
  expect(second).not.toBe(directory);

  await rm(second, { recursive: true });
  await symlink("/tmp", second);
  expect(await far(place)).not.toBe(second);
});

test.each([
  ["a short path", "near"],
  ["a path too long for a socket", long],
])(
  "processes that leave and take away the directory of %s while others prepare it stop none of those",
  async (_, name) => {
    const account = { name: "me", uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const place = { ...(await location(name)), account };
    const directory = await far(place);
    const leave = () => rmdir(directory).catch(() => undefined);
    for (let round = 0; round < 300; round++) {
      const [prepared] = await Promise.all([
        preparePostgresSocketDirectory(place),
        leave(),
        leave(),
      ]);
      expect(prepared).toBe(directory);
    }
  },
);
