import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readNpmRegistrySettings } from "../../../src/depshealth/ecosystem/npm-configuration.ts";
import { startFakeSources } from "../../support/fake-sources/fake-sources.ts";
import { openFacts } from "../../support/fake-sources/open-facts.ts";

let home: string;
let project: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "causeway-npm-home-"));
  project = await mkdtemp(join(tmpdir(), "causeway-npm-project-"));
});
afterEach(async () => {
  for (const folder of [home, project]) await rm(folder, { recursive: true, force: true });
});

function read(environment: Record<string, string> = {}) {
  return readNpmRegistrySettings({ HOME: home, ...environment }, project);
}

it("names none by itself", () => {
  expect(read()).toEqual([]);
});

it("reads registries, scopes and tokens, the project's before the user's", async () => {
  await writeFile(
    join(home, ".npmrc"),
    [
      "registry=https://user.example/npm/",
      "; a comment",
      "@corp:registry = https://corp.example/",
      "//corp.example/:_authToken=${CORP_TOKEN}",
      '//project.example/npm/:_authToken="plain"',
    ].join("\n"),
  );
  await writeFile(join(project, ".npmrc"), "registry=https://project.example/npm/group/\r\n");
  expect(read({ CORP_TOKEN: "secret" })).toEqual([
    { scope: undefined, base: "https://project.example/npm/group", token: "plain" },
    { scope: "@corp", base: "https://corp.example", token: "secret" },
  ]);
});

it("lets the environment decide, and another file of the user's", async () => {
  const other = join(project, "other");
  await writeFile(other, "registry=https://other.example/");
  expect(read({ NPM_CONFIG_USERCONFIG: other })[0]?.base).toBe("https://other.example");
  const environment = { NPM_CONFIG_USERCONFIG: other, npm_config_registry: "http://env.example/" };
  expect(read(environment)[0]?.base).toBe("http://env.example");
});

it("leaves what stands for no variable as it is", async () => {
  await writeFile(
    join(project, ".npmrc"),
    "registry=https://a.example/\n//a.example/:_authToken=${constructor}\n",
  );
  expect(read()[0]?.token).toBe("${constructor}");
});

it("passes over what is no address", async () => {
  await writeFile(join(project, ".npmrc"), "registry=ftp://a.example\n@a:registry=nothing\n");
  expect(read()).toEqual([]);
});

it("asks the registry of the scope, with its token, and no other", async () => {
  const fake = await startFakeSources();
  const serve = (path: string, name: string) =>
    fake.serve(path, { json: { name, versions: { "1.0.0": {} } } });
  serve("/corp/%40corp%2Fa", "@corp/a");
  serve("/mirror/a", "a");
  const facts = openFacts(fake, {
    off: ["osv", "depsdev", "ecosystems", "github"],
    unnamed: ["npm"],
    npmRegistries: [
      { scope: undefined, base: `${fake.origin}/mirror`, token: undefined },
      { scope: "@corp", base: `${fake.origin}/corp`, token: "secret" },
    ],
  });
  for (const name of ["@corp/a", "a"]) {
    expect((await facts.one({ ecosystem: "npm", name })).existence).toBe("found");
  }
  expect(fake.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ["/corp/%40corp%2Fa", "Bearer secret"],
    ["/mirror/a", undefined],
  ]);
  await facts.close();
  await fake.close();
});
