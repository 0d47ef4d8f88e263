import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runCauseway } from "../support/causeway-process.ts";
import { closedPort } from "../support/closed-port.ts";

vi.setConfig({ testTimeout: 30_000 });

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "causeway-pipes-"));
  execFileSync("mkfifo", [join(folder, "pipe"), join(folder, "AGENTS.md")]);
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("a file of the command line", () => {
  it.each<[words: readonly string[], name: string, code: number]>([
    [["services", "diff", "x"], "pipe", 2],
    [["services", "learn", "x"], "pipe", 2],
    [["items", "import"], "AGENTS.md", 1],
    [["audit", folderOfTest(), "--baseline"], "pipe", 2],
  ])(
    "is rejected by %j when it is a named pipe that nobody writes to",
    async (words, name, code) => {
      const environment = {
        CAUSEWAY_URL: `http://127.0.0.1:${await closedPort()}`,
        CAUSEWAY_KEY: "key",
        CAUSEWAY_ADMIN_TOKEN: "token",
      };
      const outcome = await runCauseway([...words, join(folder, name)], { environment });
      expect(outcome.stderr).toContain("no regular file");
      expect(outcome.code).toBe(code);
    },
  );

  it("is rejected when it is a device", async () => {
    const outcome = await runCauseway(["services", "diff", "x", "/dev/zero"]);
    expect(outcome).toMatchObject({ code: 2 });
    expect(outcome.stderr).toContain("no regular file");
  });
});

function folderOfTest(): string {
  return import.meta.dirname;
}
