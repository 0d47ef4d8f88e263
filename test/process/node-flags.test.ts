import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { repository } from "../support/causeway-process.ts";

it("npm start and the program itself give Node the same flags", async () => {
  const program = await readFile(`${repository}/bin/causeway.js`, "utf8");
  const [, ofProgram] = /^#!\/usr\/bin\/env -S (.*)$/m.exec(program) ?? [];
  const manifest = JSON.parse(await readFile(`${repository}/package.json`, "utf8")) as {
    readonly scripts: { readonly start: string };
  };
  expect(manifest.scripts.start.replace("exec ", "")).toBe(`${ofProgram} bin/causeway.js serve`);
});

it("the program's first line is as short as Linux reads it", async () => {
  const program = await readFile(`${repository}/bin/causeway.js`);
  expect(program.indexOf("\n")).toBeLessThan(256);
});
