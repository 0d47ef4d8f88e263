import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";

const sources = new URL("../src/", import.meta.url).pathname;

/** Each dialect is a folder of the same design: what is the same in two of them has the same name in the same file. */
const dialects = ["chat", "messages", "responses"];

const declared =
  /^export (?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type|enum) (\w+)/gm;

const files = readdirSync(sources, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => ({ file, source: readFileSync(join(sources, file), "utf8") }))
  .map(({ file, source }) => ({ file, source, exports: exportsOf(source) }));

/** Services, stores and streams that somebody else has opened. */
const collaborators =
  /^  readonly (?:box|clock|dialer|feed|fork|log|metrics|pipeline|runPrepared|secrets|store|tracer)\??:/m;

/** What a file declares and exports; re-exports have the name of what they pass on. */
function exportsOf(source: string): readonly string[] {
  return [...new Set([...source.matchAll(declared)].flatMap(([, name]) => name ?? []))];
}

function dialectOf(file: string): string | undefined {
  return dialects.find((dialect) => file === join("dialect", dialect, basename(file)));
}

/** `chatCodec` and `responsesCodec` are one name. */
function withoutDialect(name: string): string {
  return name.replace(/(chat|messages|responses)/i, "Dialect");
}

describe("names of the sources", () => {
  it("are exported once, but for those that dialects have in common, in files of one name", () => {
    const exporters = Map.groupBy(
      files.flatMap(({ file, exports }) => exports.map((name) => ({ file, name }))),
      ({ name }) => name,
    );
    const shared = [...exporters].filter(([, places]) => {
      const isMirrored = places.every(({ file }) => dialectOf(file) !== undefined);
      return places.length > (isMirrored ? dialects.length : 1) || !isOfOneFile(places);
    });
    expect(shared.map(([name, places]) => [name, ...places.map(({ file }) => file)])).toEqual([]);
  });

  it("that files of all three dialects export are the same, but for the dialect's own", () => {
    const ofDialects = files.filter(({ file }) => dialectOf(file) !== undefined);
    const alike = Map.groupBy(ofDialects, ({ file }) => basename(file));
    const different = [...alike].filter(([, mirrors]) => {
      if (mirrors.length < dialects.length) return false;
      const [first, ...others] = mirrors.map(({ exports }) => new Set(exports.map(withoutDialect)));
      return others.some(
        (names) => first === undefined || ![...first].some((name) => names.has(name)),
      );
    });
    expect(different.map(([file]) => file)).toEqual([]);
  });

  it("end in Dependencies for what a thing works with, in Options for what is chosen for it", () => {
    const others = files.flatMap(({ exports }) => exports).filter((name) => name.endsWith("Ports"));
    expect(others).toEqual([]);
    const options = files.flatMap(({ source }) => [
      ...source.matchAll(/^(?:export )?interface (\w+Options)\b[^]*?^}/gm),
    ]);
    expect(options.length).toBeGreaterThan(5);
    const mistaken = options.filter(([declaration]) => collaborators.test(declaration));
    expect(mistaken.map(([, name]) => name)).toEqual([]);
  });
});

function isOfOneFile(places: readonly { readonly file: string }[]): boolean {
  return new Set(places.map(({ file }) => basename(file))).size === 1;
}
