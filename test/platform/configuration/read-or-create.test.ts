import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../../src/platform/configuration/configuration-error.ts";
import { readOrCreateFile } from "../../../src/platform/configuration/read-or-create.ts";
import { folderForTest } from "../../support/folder-for-test.ts";

function newDirectory(): string {
  return folderForTest();
}

describe("readOrCreateFile()", () => {
  it("creates the file for its owner alone, leaves nothing else, and reads it from then on", () => {
    const directory = newDirectory();
    const path = join(directory, "secret");
    expect(readOrCreateFile(path, () => "first")).toBe("first");
    expect(readOrCreateFile(path, () => "second")).toBe("first");
    expect(readFileSync(path, "utf8")).toBe("first\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(["secret"]);
  });

  it("takes what another process wrote in the meantime", () => {
    const path = join(newDirectory(), "secret");
    const create = () => {
      writeFileSync(path, "theirs\n");
      return "ours";
    };
    expect(readOrCreateFile(path, create)).toBe("theirs");
  });

  it("names the file that it cannot write or read", () => {
    const directory = newDirectory();
    const lost = join(directory, "no", "such", "secret");
    expect(() => readOrCreateFile(lost, () => "x")).toThrow(
      new ConfigurationError(lost, "cannot be written (ENOENT)"),
    );
    const folder = join(directory, "folder");
    mkdirSync(folder);
    expect(() => readOrCreateFile(folder, () => "x")).toThrow(
      new ConfigurationError(folder, "cannot be read (EISDIR)"),
    );
  });
});
