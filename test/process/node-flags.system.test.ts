import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { program, repository } from "../support/causeway-process.ts";

it("npm start runs the program by its first line, where the flags for Node stand", async () => {
  const manifest = JSON.parse(await readFile(`${repository}/package.json`, "utf8")) as {
    readonly scripts: { readonly start: string };
  };
  expect(manifest.scripts.start).toBe("exec bin/causeway.js serve");
});

it("the program's first line is as short as Linux reads it", async () => {
  const bytes = await readFile(program);
  expect(bytes.indexOf("\n")).toBeLessThan(256);
});
