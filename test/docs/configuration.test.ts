/** docs/configuration.md names every setting, and what it shows is valid. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rm } from "node:fs/promises";
import { afterAll, describe, expect, it } from "vitest";
import { readConfigurationFile } from "../../src/platform/configuration/configuration-file.ts";
import { configurationFileSchema } from "../../src/platform/configuration/configuration-file-schema.ts";
import { readEnvironment } from "../../src/platform/configuration/environment.ts";
import { codeBlocks } from "./markdown.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/configuration.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "causeway-configuration-page-"));

afterAll(() => rm(folder, { recursive: true }));

describe("the table of variables", () => {
  it("has a row for every variable that has a default", () => {
    const rows = new Set([...page.matchAll(/^\| `([A-Z_]+)` /gm)].map(([, name]) => name));
    expect(Object.keys(readEnvironment({})).filter((name) => !rows.has(name))).toEqual([]);
  });

  it("has no row of a variable that is not read", () => {
    const rows = [...page.matchAll(/^\| `((?:CAUSEWAY|DATABASE)_[A-Z_]+)` /gm)];
    const source = readFileSync(
      join(import.meta.dirname, "../../src/platform/configuration/environment.ts"),
      "utf8",
    );
    const strange = rows.map(([, name = ""]) => name).filter((it) => !source.includes(`  ${it}:`));
    expect(rows.length).toBeGreaterThan(10);
    expect(strange).toEqual([]);
  });
});

describe("the example of a configuration file", () => {
  const [example = ""] = codeBlocks(page, "yaml");
  const path = join(folder, "causeway.yaml");
  writeFileSync(path, example);
  const file = readConfigurationFile(path, { ACME_OPERATOR_KEY: "sk-1", GITHUB_TOKEN: "ghp-1" });

  it("is taken as it stands", () => {
    expect(file.vendors["acme"]?.models).toEqual(["acme-large"]);
  });

  it("shows every part that there is", () => {
    const shown = new Set([...example.matchAll(/^(\w+):/gm)].map(([, key]) => key));
    const parts = Object.keys(configurationFileSchema.shape);
    expect(parts.filter((part) => !shown.has(part))).toEqual([]);
  });

  it("shows every limit with its default", () => {
    expect(file.limits).toEqual(configurationFileSchema.parse({}).limits);
    const named = Object.keys(file.limits).filter((name) => example.includes(`  ${name}: `));
    expect(named).toEqual(Object.keys(file.limits));
  });
});
