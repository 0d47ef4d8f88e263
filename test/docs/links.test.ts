/** What pages link to, and what comments cite, is in the repository. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { anchorsOf, linksOf, pathsInCode } from "./markdown.ts";

const repository = join(import.meta.dirname, "../..");

const pages = filesOf("*.md", "docs/**/*.md", "proto/**/*.md");
const sources = filesOf(
  "src/**/*.{ts,sql}",
  "proto/**/*.proto",
  "scripts/**/*.ts",
  "test/**/*.ts",
  "bin/*.js",
  "*.ts",
);

describe("links of pages", () => {
  it("open in a clone", () => {
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.flatMap(deadLinksOf)).toEqual([]);
  });

  it("name in code what is there", () => {
    const dead = pages.flatMap((page) =>
      pathsInCode(textOf(page))
        .filter((path) => !isThere(path, undefined))
        .map((path) => `${page} names ${path}`),
    );
    expect(dead).toEqual([]);
  });

  it("lead from the README to every page", () => {
    const linked = new Set(linksOf(textOf("README.md")).map(({ target }) => target));
    const others = pages.filter((page) => page !== "README.md");
    expect(others.filter((page) => !linked.has(page))).toEqual([]);
  });
});

describe("what comments cite", () => {
  it("is in the repository, down to the section", () => {
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.flatMap(deadCitationsOf)).toEqual([]);
  });
});

function deadLinksOf(page: string): string[] {
  return linksOf(textOf(page))
    .filter(({ target }) => !opens(page, target))
    .map(({ line, target }) => `${page}:${line} links to ${target}`);
}

function opens(page: string, target: string): boolean {
  const [path = "", anchor] = target.split("#", 2);
  return isThere(path === "" ? page : normalize(join(dirname(page), path)), anchor);
}

/** A page or a source, and perhaps a section of it: `docs/contract.md#limits`, `src/main.ts`. */
const citation = /(?<![\w./$@{}*-])(?:[\w.-]+\/)+[\w.-]+\.(?:md|ts|proto)\b(?:#[\w-]+)?/g;

function deadCitationsOf(file: string): string[] {
  return commentsOf(file).flatMap(({ text, line }) =>
    [...text.matchAll(citation)]
      .map(([cited]) => cited)
      .filter((cited) => !isForeign(cited) && !isCited(file, cited))
      .map((cited) => `${file}:${line} cites ${cited}`),
  );
}

/** Files that npm packages bring. */
function isForeign(cited: string): boolean {
  return /^(?:google|buf|node_modules)\//.test(cited);
}

/** Files are named from the root, from `src` or `proto`, or from a folder around the one that cites. */
function isCited(file: string, cited: string): boolean {
  const [path = "", anchor] = cited.split("#", 2);
  const folders = ["", "src", "proto", ...foldersAround(file)];
  return folders.some((folder) => isThere(normalize(join(folder, path)), anchor));
}

function foldersAround(file: string): string[] {
  const folder = dirname(file);
  return folder === "." ? [] : [folder, ...foldersAround(folder)];
}

/** What a clone has not. */
const isIgnored = /^(?:\.causeway|\.proto|dist|node_modules)\//;

function isThere(path: string, anchor: string | undefined): boolean {
  if (isIgnored.test(path) || !existsSync(join(repository, path))) return false;
  return anchor === undefined || (path.endsWith(".md") && anchorsOf(textOf(path)).has(anchor));
}

/** The parts of lines that are comments. */
function commentsOf(file: string): { readonly text: string; readonly line: number }[] {
  return textOf(file)
    .split("\n")
    .flatMap((text, index) => {
      const comment = /^\s*(?:\/\/|\/\*|\*|--)(.*)$|\s\/\/ (.*)$/.exec(text);
      return comment === null ? [] : { text: comment[0], line: index + 1 };
    });
}

function textOf(file: string): string {
  return readFileSync(join(repository, file), "utf8");
}

function filesOf(...patterns: string[]): string[] {
  return globSync(patterns, { cwd: repository }).map((file) => file.replaceAll("\\", "/"));
}
