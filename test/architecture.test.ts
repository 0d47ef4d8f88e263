import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { importRules } from "../scripts/import-rules.ts";

const root = join(import.meta.dirname, "..");

interface ImportLine {
  readonly file: string;
  readonly target: string;
}

function importsOf(file: string): ImportLine[] {
  const text = textOf(file);
  const specifiers = text.matchAll(/(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g);
  return [...specifiers].map(([, specifier = ""]) => ({
    file,
    target: relative(root, join(root, dirname(file), specifier)),
  }));
}

function folderOf(path: string): string {
  const [top = "", second = ""] = path.split("/");
  return top === "src" ? second : top;
}

function isAllowed({ file, target }: ImportLine): boolean {
  const from = folderOf(file);
  const to = folderOf(target);
  if (from === to) return true;
  return (importRules[from] ?? []).includes(to);
}

const files = globSync("src/**/*.ts", { cwd: root });

describe("architecture", () => {
  it("reads the sources", () => {
    expect(files.length).toBeGreaterThan(50);
  });

  it("knows every folder of src", () => {
    const unlisted = new Set(files.map(folderOf).filter((folder) => !(folder in importRules)));
    expect(
      [...unlisted],
      "list the folder in scripts/import-rules.ts and say what it may import",
    ).toEqual([]);
  });

  it("imports only along the table", () => {
    const violations = files
      .flatMap(importsOf)
      .filter((line) => !isAllowed(line))
      .map(({ file, target }) => `${file} imports ${target}`);
    expect(violations).toEqual([]);
  });

  it("keeps Fastify and the transport out of the domains", () => {
    const domains = files.filter((file) =>
      /^src\/(domain|account|team|upstream|model-vendor|alias|wallet|dialect|depshealth|turn)\//.test(
        file,
      ),
    );
    const offenders = domains.filter((file) =>
      /from "(fastify|@connectrpc\/connect-fastify)"/.test(textOf(file)),
    );
    expect(offenders).toEqual([]);
  });

  it("[start.test] dials out through the checked dialer only", () => {
    const dials = /(?<![.\w])fetch\(|from "(?:undici|node:https?|node:http2|node:tls|axios|got)"/;
    const offenders = files.filter((file) => dials.test(withoutHarmlessImports(file)));
    expect(offenders.filter((file) => !mayHaveSockets.some((rule) => rule.test(file)))).toEqual([]);
  });

  it("looks nothing up in an object by a key from outside", () => {
    const lookUps = files.flatMap((file) =>
      tablesIn(file).flatMap((table) => lookUpsIn(file, table)),
    );
    expect(lookUps, "make it a `lookupTable` (src/platform/lookup-table.ts)").toEqual([]);
    const casts = files.filter((file) => /\bas keyof\b/.test(textOf(file)));
    expect(casts, "a cast does not make a key one of the object's own").toEqual([]);
  });

  it("has no file over 400 lines", () => {
    const long = files.filter((file) => textOf(file).split("\n").length > 400);
    expect(long).toEqual([]);
  });
});

/**
 * The dialer itself, what listens rather than dials, a page whose script runs in
 * a browser, and commands that ask the gateway that their user names.
 */
const mayHaveSockets = [
  /^src\/conformance\/http\//,
  /^src\/cli\/chat\/model-client\.ts$/,
  /^src\/cli\/silence\.ts$/,
  /^src\/cli\/services\/post-traffic\.ts$/,
  /^src\/platform\/dial\//,
  /^src\/transport\/front\//,
  /^src\/app\/pages\/sign-in-page\.ts$/,
];

/** Types, and the names of statuses, open no connection. */
function withoutHarmlessImports(file: string): string {
  const harmless = /import type [^;]+;|import \{ STATUS_CODES \} from "node:http";/g;
  return textOf(file).replaceAll(harmless, "");
}

/** Names of the objects in a file whose type lets any string be a key. */
function tablesIn(file: string): string[] {
  const form =
    /\b(?:const|let) (\w+): (?:Readonly<|Partial<)*Record<string,[^;]*?>+ = \{\s*[^\s}]/g;
  return [...textOf(file).matchAll(form)].map(([, name = ""]) => name);
}

/** Where such an object is indexed by anything but a literal, in its own file or where it is imported. */
function lookUpsIn(declaringFile: string, table: string): string[] {
  const lookUp = new RegExp(`(?<![.\\w])${table}(?:\\?\\.)?\\[(?!["'\\d])[^\\]]*`, "g");
  const isImported = new RegExp(`import \\{[^}]*\\b${table}\\b[^}]*\\} from`);
  return files
    .filter((file) => file === declaringFile || isImported.test(textOf(file)))
    .flatMap((file) => (textOf(file).match(lookUp) ?? []).map((found) => `${file}: ${found}]`));
}

function textOf(file: string): string {
  return readFileSync(join(root, file), "utf8");
}
