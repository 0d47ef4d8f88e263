import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  canOsUserTraverse,
  canOsUserRead,
} from "../../../../src/platform/database/embedded/path-access.ts";
import { temporaryDirectory } from "../processes/temporary-directory.ts";

const stranger = { name: "stranger", uid: 54_321, gid: 54_321 };
const isRoot = process.getuid?.() === 0;

test("a directory is entered through every parent or not at all", async () => {
  const parent = await temporaryDirectory(0o711);
  const inner = join(parent, "inner");
  await mkdir(inner);
  await chmod(inner, 0o711);
  expect(await canOsUserTraverse(stranger, inner)).toBe(true);
  await chmod(parent, 0o700);
  expect(await canOsUserTraverse(stranger, inner)).toBe(false);
});

test.runIf(isRoot)("the owner's bits count for the owner, the group's for the group", async () => {
  const directory = await temporaryDirectory(0o071);
  await chown(directory, stranger.uid, 0);
  expect(await canOsUserTraverse(stranger, directory)).toBe(false);
  await chown(directory, 0, stranger.gid);
  expect(await canOsUserTraverse(stranger, directory)).toBe(true);
  expect(await canOsUserRead(stranger, directory)).toBe(true);
});

test("a file is read by mode, a directory only if it can be entered as well", async () => {
  const directory = await temporaryDirectory(0o754);
  expect(await canOsUserRead(stranger, directory)).toBe(false);
  const file = join(directory, "file");
  await writeFile(file, "");
  await chmod(file, 0o604);
  expect(await canOsUserRead(stranger, file)).toBe(true);
});
