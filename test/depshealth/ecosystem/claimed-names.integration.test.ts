import { describe, expect, it } from "vitest";
import { ecosystems, type Ecosystem } from "../../../src/depshealth/facts.ts";
import type { FakeSources } from "../../support/fake-sources/fake-sources.ts";
import * as packages from "../../support/fake-sources/packages.ts";
import { useFakeSources } from "./fixture.ts";

const sources = useFakeSources();

const servePackage = {
  npm: packages.serveNpm,
  pypi: packages.servePypi,
  cargo: packages.serveCargo,
  rubygems: packages.serveRubygems,
  go: packages.serveGoSite,
  maven: packages.serveMaven,
  nuget: packages.serveNuget,
  packagist: packages.servePackagist,
} satisfies Readonly<Record<Ecosystem, unknown>>;

const prefixes: Partial<Record<Ecosystem, string>> = {
  go: "example.org/",
  maven: "org.example:",
  packagist: "example/",
};

describe.each(ecosystems)("the name of a package of %s", (ecosystem) => {
  it("stays the requested one if its documents claim another", async () => {
    const { fake, facts } = sources;
    const prefix = prefixes[ecosystem] ?? "";
    const version = ecosystem === "go" ? "v1.0.0" : "1.0.0";
    const liar: FakeSources = {
      ...fake,
      serve: (path, served) => fake.serve(path.replaceAll("victim", "victor"), served),
    };
    servePackage[ecosystem](liar, {
      name: `${prefix}victim`,
      versions: [{ version, at: "2026-01-01T00:00:00Z" }],
    });
    const name = `${prefix}victor`;
    expect(await facts.one({ ecosystem, name })).toMatchObject({ name });
    expect(await facts.one({ ecosystem, name, version })).toMatchObject({ name });
  });
});
