import { describe, expect, it } from "vitest";
import type { PublishedVersions } from "../../src/depshealth/facts.ts";
import type { ParsedManifest } from "../../src/manifest/manifest.ts";
import { createVersionRangeSelector } from "../../src/depshealth/version-resolution/version-resolver.ts";
import { parseManifestTextByKind } from "../../src/manifest/read-manifest.ts";

function read(text: string): ParsedManifest {
  return parseManifestTextByKind(text, "requirements.txt");
}

function rows(text: string): unknown[] {
  return read(text).dependencies.map(({ name, requested, version }) => [name, requested, version]);
}

describe("[tools.audit-manifest] every form of a line", () => {
  it.each([
    ["left==1.0", "left", "==1.0", "1.0"],
    ["left == 1.0", "left", "== 1.0", "1.0"],
    ["left===1.0-weird", "left", "===1.0-weird", "1.0-weird"],
    ["left (==1.0)", "left", "==1.0", "1.0"],
    ["left==1.0.post1", "left", "==1.0.post1", "1.0.post1"],
    ["left==1!2.0", "left", "==1!2.0", "1!2.0"],
    ["left==4.2.*", "left", "==4.2.*", undefined],
    ["left~=1.21.0", "left", "~=1.21.0", undefined],
    ["left>=1,<2", "left", ">=1,<2", undefined],
    ["left >=1, !=1.5,", "left", ">=1, !=1.5,", undefined],
    ["left", "left", null, undefined],
    ["Left.Pad_x", "Left.Pad_x", null, undefined],
    ["left[a,b-c]==1.0", "left", "==1.0", "1.0"],
    ["left [a] >= 2", "left", ">= 2", undefined],
    ['left==1.0; python_version < "3.8"', "left", "==1.0", "1.0"],
    ["left ; sys_platform == 'win32'", "left", null, undefined],
    ["left==1.0 # why", "left", "==1.0", "1.0"],
    ["left==1.0 --hash=sha256:abc --hash=sha256:def", "left", "==1.0", "1.0"],
    ["left==1.0 \\\n    --hash=sha256:abc \\\n    --hash=sha256:def", "left", "==1.0", "1.0"],
    ["left \\\n>=1", "left", ">=1", undefined],
    ['left==1.0 --config-settings="--x=y"', "left", "==1.0", "1.0"],
    ["  left==1.0  ", "left", "==1.0", "1.0"],
  ])("reads the line %j as a package", (line, name, requested, version) => {
    expect(rows(line)).toEqual([[name, requested, version]]);
    expect(read(line).unparsed).toEqual([]);
  });

  it.each([
    ["-r base.txt", "include: that file was not sent"],
    ["--requirement=base.txt", "include: that file was not sent"],
    ["-c constraints.txt", "include: that file was not sent"],
    ["-e .", "local"],
    ["--editable ./left", "local"],
    ["-e git+https://git.example/a/b.git@v1#egg=b", "git"],
    ["-e hg+https://hg.example/a#egg=b", "url: another version control"],
    ["git+https://git.example/a/b.git#egg=b", "git"],
    ["left @ git+ssh://git@git.example/a/b.git", "git"],
    ["left @ https://files.example/left-1.0.tar.gz", "url"],
    ['left[x] @ https://files.example/left.whl ; python_version > "3"', "url"],
    ["left @ file:///srv/left.whl", "local"],
    ["https://files.example/left-1.0-py3-none-any.whl", "url"],
    ["./left", "local"],
    ["../left.whl", "local"],
    ["/srv/left", "local"],
    ["dir/left", "local"],
    ["C:\\left", "local"],
    ["left-1.0-py3-none-any.whl", "local"],
    ["left-1.0.tar.gz", "local"],
    ["--index-url https://packages.example/simple", "index_option: names may come from elsewhere"],
    ["-i https://packages.example/simple", "index_option: names may come from elsewhere"],
    ["--extra-index-url=https://x.example", "index_option: names may come from elsewhere"],
    ["-f wheels", "index_option: names may come from elsewhere"],
    ["--find-links wheels", "index_option: names may come from elsewhere"],
    ["left==${VERSION}", "environment_variable"],
    ["--index-url https://${USER}@x.example", "environment_variable"],
    ["left==not a version", "invalid_specifier"],
    ["left==", "invalid_specifier"],
    ["left=>1", "invalid_specifier"],
    ["left right", "invalid_line"],
    ["==1.0", "invalid_line"],
    ["?", "invalid_line"],
  ])("lists the line %j as unparsed, with the reason", (line, reason) => {
    expect(read(`# first\n${line}`)).toMatchObject({
      kind: "requirements.txt",
      dependencies: [],
      unparsed: [{ line: 2, text: line, reason }],
    });
  });

  it.each([
    "",
    "# only a comment",
    "   # indented",
    "--no-binary :all:",
    "--pre",
    "--require-hashes",
  ])("passes over the line %j", (line) => {
    expect(read(line)).toMatchObject({ kind: "requirements.txt", dependencies: [], unparsed: [] });
  });
});

describe("lines", () => {
  it("are counted from 1 at the first of those that are joined, whatever ends them", () => {
    const { dependencies, unparsed } = read("\uFEFFa==1\r\n\r\nb \\\r\n  ==2\r-e .\n\\\n-r x.txt");
    expect(dependencies.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(unparsed.map(({ line }) => line)).toEqual([5, 6]);
  });

  it("that end in the middle of a continuation are read", () => {
    expect(rows("left \\")).toEqual([["left", null, undefined]]);
  });

  it("keep a # that belongs to an address", () => {
    expect(read("git+https://git.example/a#egg=b # why").unparsed[0]?.text).toBe(
      "git+https://git.example/a#egg=b",
    );
  });

  it("that are long are cut where they are shown", () => {
    expect(read(`? ${"x".repeat(1000)}`).unparsed[0]?.text).toMatch(/^\? x{298}…$/);
  });
});

describe("a specifier", () => {
  const published: PublishedVersions = {
    versions: ["2.0rc1", "1.21.6", "1.21.5", "1.20.0", "0.9"].map((version) => ({
      version,
      stable: !version.includes("rc"),
      releasedAt: null,
      ...(version === "1.21.6" && { withdrawal: { kind: "yanked", reason: null } as const }),
    })),
    latestVersion: "1.21.5",
    tags: new Map(),
  };

  it.each([
    ["~=1.21.0", "1.21.5"],
    [">=1,<1.21", "1.20.0"],
    ["==1.21.*", "1.21.5"],
    [">=2.0rc1", "2.0rc1"],
    [">=1.21.6", "2.0rc1"],
    ["<0.5", undefined],
    ["!=1.21.5", "1.20.0"],
  ])("%s chooses what pip would install", async (specifier, chosen) => {
    const [dependency] = read(`left${specifier}`).dependencies;
    expect(dependency && (await createVersionRangeSelector(dependency)?.(published))).toBe(chosen);
  });
});

describe("a line end", () => {
  it("is what Python takes for one, and lines are numbered as editors do", () => {
    const { dependencies } = read("a==1\u2028b==2\u0085c==3\r\nd==4\fe==5\n");
    expect(dependencies.map(({ name, line }) => `${line} ${name}`)).toEqual([
      "1 a",
      "1 b",
      "1 c",
      "2 d",
      "2 e",
    ]);
  });
});
