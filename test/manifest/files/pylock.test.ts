import { describe, expect, it } from "vitest";
import { findFileFormatByPath } from "../../../src/manifest/file-formats.ts";
import { describeFile } from "./describe-file.ts";

const head = 'lock-version = "1.0"\ncreated-by = "a-locker"\n';

describe("a pylock.toml", () => {
  it.each([
    ["pylock.toml", true],
    ["pylock.dev.toml", true],
    ["pylock.a.b.toml", false],
    ["my-pylock.toml", false],
  ])("is recognized by the name %s: %s", (name, isRead) => {
    expect(findFileFormatByPath(name)?.name === "pylock.toml").toBe(isRead);
  });

  it("lists versions, needs, groups, and sources that are not the index", () => {
    const text = `${head}
[[packages]]
name = "app"
version = "1.2.0"
marker = "python_version < '3.8'"
dependencies = [{ name = "deep" }, { name = "gone" }]

[[packages]]
name = "deep"
version = "3.0"
sdist = { name = "deep-3.0.tar.gz", path = "files/deep-3.0.tar.gz", hashes = {} }

[[packages]]
name = "tool"
version = "2.0"
marker = "'dev' in dependency_groups or 'x' in extras"

[[packages]]
name = "fork"
vcs = { type = "git", url = "https://git.example/fork.git", commit-id = "abc" }

[[packages]]
name = "folder"
directory = { path = "libs/folder", editable = true }

[[packages]]
name = "packed"
archive = { url = "https://files.example/packed.zip", hashes = {} }

[[packages]]
name = "private"
version = "1.0"
index = "https://index.example/simple"
`;
    const project = '[project]\nname = "mine"\ndependencies = ["app"]\n';
    expect(describeFile("pylock.toml", text, { "pyproject.toml": project })).toEqual({
      packages: [
        "4: app 1.2.0 direct production",
        "4: gone () transitive production [app@1.2.0 > gone]",
        "15: tool 2.0 unknown development+x",
        "32: private 1.0 unknown ",
      ],
      unparsed: [
        "10: deep@3.0 files/deep-3.0.tar.gz: local",
        "20: fork https://git.example/fork.git: git",
        "24: folder libs/folder: local",
        "28: packed https://files.example/packed.zip: url",
        "32: index.example: registry: 1 of its packages may come from this host",
      ],
    });
  });

  it("is refused without a lock-version", () => {
    expect(() => describeFile("pylock.toml", "[[packages]]\n")).toThrow(/invalid_lock/);
  });
});
