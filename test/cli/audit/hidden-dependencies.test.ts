import { describe, expect, it } from "vitest";
import { audit, type Case, type Content } from "./audit-project.ts";

function requirements(text: string | Buffer, more: Case["files"] = {}): Case["files"] {
  return { "requirements.txt": text, ...more };
}

const evil = { "evil.txt": "evil==1\n" };

describe("the audit of a requirements.txt", () => {
  const ends = ["\f", "\v", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\r"];

  it.each(ends.map((end) => [end]))("reads a line that %j ends after a comment", (end) => {
    expect(audit(requirements(`# comment${end}evil==1\n`)).asked).toEqual(["evil ==1"]);
  });

  it.each<[string, Case["files"], readonly string[], readonly string[]]>([
    ["backslashes at both ends", requirements("\\evil=\\\n=1\n"), ["evil ==1"], []],
    ["two backslashes", requirements("evil\\\\\n==1\n"), ["evil ==1"], []],
    ["a comment that goes on", requirements("# a \\\nevil==1\n"), ["evil ==1"], []],
    [
      "a comment that ends a continuation",
      requirements("a \\\n # b \\\nevil\n"),
      ["a", "evil"],
      [],
    ],
    ["a space of Python's", requirements("\x1fevil==1\x1f# why\n"), ["evil ==1"], []],
    ["a file that a name hides", requirements("a-1.tar.lzma ; os_name == ''\n"), [], ["1: local"]],
    ["an archive as a version", requirements("a === 1.zip\n"), [], ["1: local"]],
  ])("reads %s as pip does", (_what, files, asked, unread) => {
    const found = audit(files);
    expect(found.asked).toEqual(asked);
    expect(found.unread).toEqual(unread.map((row) => `requirements.txt:${row}`));
  });

  it.each<[string, Case["files"], readonly string[]]>([
    ["-r", requirements("-r evil.txt\n", evil), ["evil ==1"]],
    ["-r without a space", requirements("-revil.txt\n", evil), ["evil ==1"]],
    ["--requirement=", requirements("--requirement=evil.txt\n", evil), ["evil ==1"]],
    ["-r behind -c of it", requirements("-c evil.txt\n-r evil.txt\n", evil), ["evil ==1"]],
    [
      "-r of a constraint file",
      requirements("-c pins.txt\n", { ...evil, "pins.txt": "-r evil.txt\n" }),
      ["evil ==1"],
    ],
    [
      "-c with a range",
      requirements("-c pins.txt\nleft\n", { "pins.txt": "left<1\n" }),
      ["left <1"],
    ],
  ])("reads what %s names", (_what, files, asked) => {
    expect(audit(files)).toEqual({ asked, unread: [] });
  });

  it.each([
    ["--requi evil.txt", "unknown_option"],
    ["--req=evil.txt", "unknown_option"],
    ["--requirementevil.txt", "include"],
    ["--edit .", "unknown_option"],
    ["--editable .", "local"],
    ["-e.", "local"],
    ["--constr evil.txt", "unknown_option"],
    ["--pre -r evil.txt", "unknown_option"],
    ['--pre "-r" evil.txt', "unknown_option"],
    ["--no-binary a --req evil.txt", "unknown_option"],
    ["--no-binary -r evil.txt", "unknown_option"],
    ["--extra https://index.example evil", "unknown_option"],
    ["--process-dependency-links", "unknown_option"],
    ["--allow-external evil", "unknown_option"],
    ["-x", "unknown_option"],
    ["-r=evil.txt", "include"],
    ["-r 'evil'.txt", "include"],
    ["-r evi\\l.txt", "include"],
    ["-r evil.txt --pre", "include"],
    ["-c pins.txt -r evil.txt", "include"],
    ["-r /evil.txt", "include"],
    ["-r file:evil.txt", "include"],
    ["-r https://files.example/evil.txt", "include"],
    ["-r gone.txt", "include"],
    ["-ihttps://index.example/simple", "index_option"],
    ["--index-url=https://index.example/simple", "index_option"],
    ["--extra-index-url https://index.example/simple evil==1", "index_option"],
    ["--no-index", "index_option"],
    ["-fwheels", "index_option"],
    ["--find-links wheels", "index_option"],
    ["--trusted-host index.example", "index_option"],
  ])("counts the line %j", (line, reason) => {
    const files = requirements(`fine\n${line}\n`, { ...evil, "pins.txt": "" });
    expect(audit(files)).toEqual({ asked: ["fine"], unread: [`requirements.txt:2: ${reason}`] });
  });

  it.each(["--pre", "--no-binary :all: --prefer-binary", "--only-binary=a", "--hash=sha256:aa"])(
    "passes over the line %j, which installs nothing",
    (line) => {
      expect(audit(requirements(`fine\n${line}\n`))).toEqual({ asked: ["fine"], unread: [] });
    },
  );

  it("counts what a constraint file says of addresses and indexes", () => {
    const pins = "left @ https://files.example/left.zip\n-i https://index.example\n--weird\n";
    expect(audit(requirements("-c pins.txt\nleft\n", { "pins.txt": pins }))).toEqual({
      asked: ["left"],
      unread: ["pins.txt:1: url", "pins.txt:2: index_option", "pins.txt:3: unknown_option"],
    });
  });

  it("counts an include of a long name, of which another file has the beginning", () => {
    const long = "a".repeat(150);
    const path = `${long}/${long}/evil.txt`;
    const cut = `-r ${path}`.slice(3, 300);
    const files = requirements(`-r ${path}\n`, { [path]: "evil\n", [`${cut}…`]: "fine\n" });
    expect(audit(files).asked).toEqual(["evil"]);
  });

  it("counts an include whose path leads through a link and back", () => {
    const files = requirements("-r link/../a.txt\n", {
      "a.txt": "fine\n",
      "deep/a.txt": "evil\n",
      "deep/folder/b.txt": "",
      link: { link: "deep/folder" },
    });
    expect(audit(files)).toEqual({ asked: ["evil"], unread: [] });
  });

  it.each<[string, string | Buffer]>([
    ["UTF-7", "# -*- coding: utf-7 -*-\n# +AAo-evil==1\n"],
    ["an encoding in the second line", "\n# vim: set fileencoding=utf-7 :\n# +AAo-evil\n"],
    ["an unknown encoding", "# coding: punycode\nfine\n"],
    ["Latin-1 with other letters", "# coding: latin-1\n# \u0105evil\n"],
    ["UTF-16 with a mark", Buffer.from("\uFEFFevil==1\n", "utf16le")],
    ["bytes that are not UTF-8", Buffer.from("# caf\xe9\nfine\n", "latin1")],
  ])("counts a file in %s as a whole", (_what, content) => {
    expect(audit(requirements(content))).toEqual({
      asked: [],
      unread: ["requirements.txt:1: encoding"],
    });
    const included = audit(requirements("-r a.txt\n", { "a.txt": content }));
    expect(included).toEqual({ asked: [], unread: ["a.txt:1: encoding"] });
  });

  it.each([
    ["UTF-8", "# -*- coding: utf-8 -*-\n# é\nfine\n"],
    ["ASCII", "# coding: latin-1\nfine\n"],
    ["UTF-8 with a mark", "\uFEFFfine\n"],
  ])("reads a file in %s, also one that is included", (_what, text) => {
    const files = requirements("-r a.txt\n", { "a.txt": text });
    expect(audit(files)).toEqual({ asked: ["fine"], unread: [] });
    expect(audit(requirements(text)).asked).toEqual(["fine"]);
  });
});

/** A lock file of the project and its `left`. */
function npmLock(asked: Readonly<Record<string, string>>): Content {
  const packages = {
    "": { dependencies: asked },
    "node_modules/left": { version: "1.0.0" },
  };
  return { json: { lockfileVersion: 3, packages } };
}

describe("the audit of a package.json", () => {
  it.each<[string, string, readonly string[], readonly string[]]>([
    ["git", "git+https://git.example/x.git", [], ["git"]],
    ["a repository", "user/repo", [], ["git"]],
    ["an address", "https://files.example/x.tgz", [], ["url"]],
    ["an archive", "file:x.tgz", [], ["local"]],
    ["an alias", "npm:other@1", ["other 1"], []],
    ["a version", "2.0.0", ["x 2.0.0"], []],
  ])("names %s that its lock file lacks", (_what, specifier, asked, unread) => {
    const json = { dependencies: { left: "^1.0.0", x: specifier } };
    const found = audit({
      "package.json": { json },
      "package-lock.json": npmLock({ left: "^1.0.0" }),
    });
    expect(found).toEqual({
      asked: ["left 1.0.0", ...asked],
      unread: unread.map((word) => `package.json:4: ${word}`),
    });
  });

  it.each<[string, string, readonly string[], number]>([
    ["a range that fits no locked version", "^2.0.0", ["left 1.0.0", "left ^2.0.0"], 0],
    ["git in place of a locked version", "git+https://git.example/a.git", ["left 1.0.0"], 1],
    ["a range that fits", "^1.0.0", ["left 1.0.0"], 0],
  ])("compares %s with a lock file", (_what, specifier, asked, unread) => {
    const found = audit({
      "package.json": { json: { dependencies: { left: specifier } } },
      "package-lock.json": npmLock({ left: "^1.0.0" }),
    });
    expect(found.asked).toEqual(asked);
    expect(found.unread).toHaveLength(unread);
  });

  it("passes over parts of the project whose manifests are read", () => {
    const dependencies = { left: "^1.0.0", a: "file:a", b: "workspace:*" };
    const found = audit({
      "package.json": { json: { dependencies } },
      "a/package.json": { json: { dependencies: { inner: "1.0.0" } } },
      "package-lock.json": npmLock(dependencies),
    });
    expect(found).toEqual({ asked: ["inner 1.0.0", "left 1.0.0"], unread: [] });
  });

  it.each([
    ["overrides", { overrides: { a: { ".": "1.0.0", b: "user/repo" } } }],
    ["resolutions", { resolutions: { "x/**/a": "1.0.0", "b@npm:^1": "user/repo" } }],
    ["pnpm.overrides", { pnpm: { overrides: { "x>a@1": "1.0.0", b: "user/repo", c: "-" } } }],
  ])("reads %s", (_what, json) => {
    const { asked, unread } = audit({ "package.json": { json } });
    expect(asked).toEqual(["a 1.0.0"]);
    expect(unread).toEqual([expect.stringMatching(/^package\.json:\d+: git$/)]);
  });

  it("names both specifiers of a package in two groups", () => {
    const json = { dependencies: { a: "1.0.0" }, devDependencies: { a: "user/repo" } };
    const { asked, unread } = audit({ "package.json": { json } });
    expect(asked).toEqual(["a 1.0.0"]);
    expect(unread).toEqual(["package.json:6: git"]);
  });

  it.each([
    "{a,b}".repeat(40) + "*",
    "+(a|a)".repeat(40) + "*b",
    "*a".repeat(60),
    "**/a/".repeat(40),
  ])("reads the manifests of folders at once, with the workspace pattern %j", (pattern) => {
    const start = process.cpuUsage();
    const folder = "a".repeat(200);
    const found = audit({
      "package.json": { json: { workspaces: [pattern] } },
      "yarn.lock": '# yarn lockfile v1\n\n\nleft@^1.0.0:\n  version "1.0.0"\n',
      [`${folder}/package.json`]: { json: { dependencies: { x: "user/repo", left: "^1.0.0" } } },
    });
    expect(found.unread).toEqual([`${folder}/package.json:3: git`]);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(5000);
  });
});

describe("the audit of specifiers that are no text", () => {
  it("counts them, also where a lock file has them", () => {
    const dependencies = { x: { toString: null } };
    const packages = { "": { dependencies } };
    const found = audit({
      "package.json": { json: { dependencies } },
      "package-lock.json": { json: { lockfileVersion: 3, packages } },
    });
    expect(found).toEqual({ asked: [], unread: ["package.json:3: invalid_specifier"] });
  });
});
