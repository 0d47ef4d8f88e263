import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  isPostmasterRunning,
  processExists,
  readPostmasterFile,
  removeStalePostmasterFile,
  type PostmasterFile,
} from "../../../../src/platform/database/embedded/postmaster-file.ts";
import { temporaryDirectory } from "../processes/temporary-directory.ts";

/** Above what systems give to processes. */
const noProcess = 99_999_999;

function text(pid: number, status: string): string {
  return `${pid}\n/data\n1700000000\n5432\n/run/dir\n\n  123  45\n${status}\n`;
}

async function written(
  content: string,
): Promise<{ cluster: string; file: PostmasterFile | undefined }> {
  const cluster = await temporaryDirectory();
  await writeFile(join(cluster, "postmaster.pid"), content);
  return { cluster, file: await readPostmasterFile(cluster) };
}

test.each([
  ["ready   ", "ready"],
  ["stopping", "stopping"],
  ["starting", "starting"],
  ["standby ", "starting"],
  ["", "starting"],
])("the line of status %j is read as %s", async (line, status) => {
  const { file } = await written(text(7, line));
  expect(file).toMatchObject({ pid: 7, status, socketDirectory: "/run/dir" });
});

test.each(["", "\n", "x\n/data\n"])(
  "a file that is being written (%j) is none",
  async (content) => {
    expect((await written(content)).file).toBeUndefined();
  },
);

test("no file is none", async () => {
  expect(await readPostmasterFile(await temporaryDirectory())).toBeUndefined();
});

test("a process that is gone, and one that is no PostgreSQL, are not the server", async () => {
  expect(processExists(process.pid)).toBe(true);
  const gone = await written(text(noProcess, "ready"));
  const other = await written(text(process.pid, "ready"));
  for (const { file } of [gone, other]) expect(file && isPostmasterRunning(file)).toBe(false);
});

test("a stale file is removed, but not one that a new server wrote in the meantime", async () => {
  const { cluster, file } = await written(text(noProcess, "ready"));
  if (file === undefined) throw new Error("no file");
  await removeStalePostmasterFile(cluster, file);
  expect(await readPostmasterFile(cluster)).toBeUndefined();
  await removeStalePostmasterFile(cluster, file);

  const newer = text(process.pid, "starting");
  await writeFile(join(cluster, "postmaster.pid"), newer);
  await removeStalePostmasterFile(cluster, file);
  expect(await readFile(join(cluster, "postmaster.pid"), "utf8")).toBe(newer);
});
