/** What CONTRIBUTING.md and docs/architecture.md say of the code is so. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isFolder, importRules } from "../../scripts/import-rules.ts";
import { codeBlocks, codeSpans, pathsInCode } from "./markdown.ts";

const repository = join(import.meta.dirname, "../..");

const isName = /^[A-Za-z_]\w+$/;

/** A numbered line of a walk or a recipe. */
interface Step {
  readonly text: string;
  readonly paths: readonly string[];
  readonly names: readonly string[];
}

describe("the walks of CONTRIBUTING.md", () => {
  const walks = stepsOf(sectionOf("CONTRIBUTING.md", "## Three walks through the code"));

  it("have a file in every step", () => {
    expect(walks.length).toBeGreaterThan(40);
    expect(walks.filter(({ paths }) => paths.length === 0).map(({ text }) => text)).toEqual([]);
  });

  it("name nothing that the files of a step have not", () => {
    expect(walks.flatMap(strangeNames)).toEqual([]);
  });
});

describe("the recipes of CONTRIBUTING.md", () => {
  it.each([
    "## How to add an operation",
    "## How to add a field of a dialect",
    "## How to add an ecosystem of dependency health",
  ])("%s: names nothing that its files have not", (title) => {
    const steps = stepsOf(sectionOf("CONTRIBUTING.md", title));
    expect(steps.length).toBeGreaterThan(4);
    expect(steps.filter(({ paths }) => paths.length > 0).flatMap(strangeNames)).toEqual([]);
  });
});

describe("docs/architecture.md", () => {
  it("has a row for every folder of src", () => {
    const spans = new Set(codeSpans(textOf("docs/architecture.md")));
    const folders = Object.keys(importRules).filter(isFolder);
    expect(folders.filter((folder) => !spans.has(`src/${folder}/`))).toEqual([]);
  });
});

describe("the example of the README", () => {
  it("is in proto as it stands there", () => {
    const [declared = ""] = codeBlocks(textOf("README.md"), "proto");
    expect(bare(textOf("proto/causeway/team/v1/team.proto"))).toContain(bare(declared));
  });

  it("is in the handlers as it stands there", () => {
    const handler = codeBlocks(textOf("README.md"), "ts").find((code) => code.startsWith("async "));
    expect(bare(textOf("src/team/team.rpc.ts"))).toContain(bare(handler ?? "absent"));
  });
});

/** Names in a step that none of its files holds. */
function strangeNames({ paths, names, text }: Step): string[] {
  const sources = paths.filter((path) => /\.\w+$/.test(path)).map(textOf);
  const holds = (name: string) => sources.some((it) => new RegExp(`\\b${name}\\b`).test(it));
  return names.filter((name) => !holds(name)).map((name) => `${name} in "${text}"`);
}

function stepsOf(section: string): Step[] {
  const lines = section.split("\n").filter((line) => /^\d+\. /.test(line));
  return lines.map((text) => {
    return {
      text,
      paths: pathsInCode(text),
      names: codeSpans(text).filter((span) => isName.test(span) && span !== "undefined"),
    };
  });
}

/** From a heading to the next one of its level. */
function sectionOf(page: string, heading: string): string {
  const [, behind] = textOf(page).split(`\n${heading}\n`, 2);
  if (behind === undefined) throw new Error(`${page} has no heading "${heading}"`);
  return behind.split("\n## ", 1)[0] ?? "";
}

function bare(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function textOf(path: string): string {
  return readFileSync(join(repository, path), "utf8");
}
