import { describe, expect, it } from "vitest";
import { configurationFileSchema } from "../../../src/platform/configuration/configuration-file-schema.ts";
import {
  listPackageSourceAddresses,
  parseDepshealthSourcesConfiguration,
} from "../../../src/platform/configuration/package-sources.ts";

const read = (file: unknown) =>
  parseDepshealthSourcesConfiguration(configurationFileSchema.parse(file));

describe("packageSources()", () => {
  it("leaves everything at its public address when the file names none", () => {
    expect(read({})).toEqual({ registries: {}, sources: {}, githubToken: undefined });
  });

  it.each([
    { registries: { npm: "http://127.0.0.1:1/npm" } },
    { sources: { osv: "http://127.0.0.1:1/osv" } },
    { sources: { gitlab: "off" } },
  ])("[file.sources] [file.sources-off] switches the sources off that %j does not name", (file) => {
    const { sources } = read(file);
    const named = (file as { sources?: Record<string, string> }).sources ?? {};
    expect(sources).toEqual({
      osv: "off",
      depsdev: "off",
      ecosystems: "off",
      github: "off",
      gitlab: "off",
      forgejo: "off",
      endoflife: "off",
      ...named,
    });
  });

  it("[sources.manners] leaves what is `public` at its public address, and with `others: public` all that is not named", () => {
    const mirror = "http://127.0.0.1:1/npm";
    expect(
      read({ registries: { npm: mirror, go: "public" }, sources: { osv: "public" } }),
    ).toMatchObject({ registries: { npm: mirror }, sources: { github: "off" } });
    const { registries, sources } = read({
      registries: { npm: mirror },
      sources: { gitlab: "off", others: "public" },
    });
    expect({ registries, sources }).toEqual({
      registries: { npm: mirror },
      sources: { gitlab: "off" },
    });
    expect(read({ sources: { others: "off" } }).sources).toMatchObject({ osv: "off" });
  });

  it("takes a token for no source", () => {
    expect(read({ sources: { github_token: "t" } })).toEqual({
      registries: {},
      sources: {},
      githubToken: "t",
    });
  });

  it("tells the addresses that count as allowed", () => {
    const file = {
      registries: { go: "http://127.0.0.1:1/go" },
      sources: { osv: "http://127.0.0.1:2", github: "off" },
    };
    expect(listPackageSourceAddresses(read(file))).toEqual([
      "http://127.0.0.1:1/go",
      "http://127.0.0.1:2",
    ]);
  });
});
