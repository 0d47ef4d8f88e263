import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  readPostgresClusterOwner,
  choosePostgresOsUser,
} from "../../../../src/platform/database/embedded/server-account.ts";
import { temporaryDirectory } from "../processes/temporary-directory.ts";

async function passwd(...lines: string[]): Promise<string> {
  const path = join(await temporaryDirectory(), "passwd");
  await writeFile(path, `root:x:0:0::/root:/bin/sh\n${lines.join("\n")}\n`);
  return path;
}

test("prefers an account made for PostgreSQL", async () => {
  const file = await passwd("nobody:x:65534:65534::/:/bin/false", "postgres:x:70:71::/:/bin/sh");
  expect(await choosePostgresOsUser(file)).toEqual({ name: "postgres", uid: 70, gid: 71 });
});

test("is content with nobody", async () => {
  const file = await passwd("broken line", "nobody:x:65534:65533::/:/bin/false");
  expect(await choosePostgresOsUser(file)).toEqual({ name: "nobody", uid: 65_534, gid: 65_533 });
});

test("never takes an account that is root", async () => {
  const file = await passwd("nobody:x:0:0::/:/bin/false");
  await expect(choosePostgresOsUser(file)).rejects.toThrow(
    /refuses to run as root.*Start Causeway as an ordinary user/,
  );
});

test("names the owner of a cluster, known or not", async () => {
  const file = await passwd("ann:x:1000:1001::/:/bin/sh");
  expect(await readPostgresClusterOwner({ uid: 1000, gid: 5 }, file)).toEqual({
    name: "ann",
    uid: 1000,
    gid: 1001,
  });
  expect(await readPostgresClusterOwner({ uid: 7, gid: 8 }, file)).toEqual({
    name: "uid 7",
    uid: 7,
    gid: 8,
  });
});
