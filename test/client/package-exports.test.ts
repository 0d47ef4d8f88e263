/** What the npm package promises of `causeway/client`, as far as it can be told without packing it (`npx vitest run --project package`). */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };

const root = join(import.meta.dirname, "../..");
const entry = "src/client/create-causeway-client.ts";

/** What runs in browsers as in Node. */
const everywhere = [
  "@bufbuild/protobuf",
  "@bufbuild/protovalidate/gen",
  "@connectrpc/connect",
  "@connectrpc/connect-web",
];

/** Files that the client is made of, and the packages that they import. */
function graphOf(start: string): { files: Set<string>; packages: Set<string> } {
  const files = new Set([start]);
  const packages = new Set<string>();
  for (const file of files) {
    const text = readFileSync(join(root, file), "utf8");
    for (const [, specifier = ""] of text.matchAll(/^(?:import|export) [^;]*?from "([^"]+)"/gm)) {
      if (specifier.startsWith("."))
        files.add(relative(root, join(root, dirname(file), specifier)));
      else packages.add(specifier);
    }
  }
  return { files, packages };
}

describe("the npm package", () => {
  it("[packages.everywhere] has the compiled client and the compiled contract among its exports", () => {
    const { "./client": client, "./contract/*": contract } = manifest.exports;
    const compiled = `./dist/${entry.replace(/\.ts$/, "")}`;
    expect(client).toEqual({ types: `${compiled}.d.ts`, default: `${compiled}.js` });
    const sources = contract.default.replace("./dist/", "").replace(/\*_pb\.js$/, "**/*_pb.ts");
    expect(globSync(sources, { cwd: root }).length).toBeGreaterThan(20);
    expect(manifest.files).toContain("dist");
    expect(manifest.scripts.prepack).toBe("node scripts/build-package.ts");
  });

  it("[packages.everywhere] has a client of what runs in browsers as in Node", () => {
    const { files, packages } = graphOf(entry);
    expect(files.size).toBeGreaterThan(20);
    expect(packages).toContain("@connectrpc/connect-web");
    const others = [...packages].filter(
      (name) => !everywhere.some((it) => name === it || name.startsWith(`${it}/`)),
    );
    expect(others).toEqual([]);
  });
});
