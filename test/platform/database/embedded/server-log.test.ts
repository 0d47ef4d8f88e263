import { open, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  rotatePostgresLog,
  postgresLogSize,
  postgresLogPath,
  readPostgresLogTailSince,
} from "../../../../src/platform/database/embedded/server-log.ts";
import { temporaryDirectory } from "../processes/temporary-directory.ts";

test("a log that is too long moves aside while its writer goes on", async () => {
  const home = await temporaryDirectory();
  const writer = await open(postgresLogPath(home), "a");
  await writer.write("x".repeat(5 * 1024 * 1024));
  await rotatePostgresLog(home);
  await writer.write("after");
  await writer.close();
  expect(await readFile(postgresLogPath(home), "utf8")).toBe("after");
  expect((await stat(join(home, "server.log.1"))).size).toBe(5 * 1024 * 1024);
});

test("a short log stays", async () => {
  const home = await temporaryDirectory();
  await writeFile(postgresLogPath(home), "short");
  await rotatePostgresLog(home);
  expect(await readFile(postgresLogPath(home), "utf8")).toBe("short");
});

test("the last lines since a place are what one start wrote", async () => {
  const home = await temporaryDirectory();
  expect(await postgresLogSize(home)).toBe(0);
  await writeFile(postgresLogPath(home), "earlier\n");
  const place = await postgresLogSize(home);
  await writeFile(postgresLogPath(home), `${"line\n".repeat(10)}last\n`, { flag: "a" });
  expect(await readPostgresLogTailSince(home, place)).toBe(`${"line\n".repeat(5)}last`);
});
