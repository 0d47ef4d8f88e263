import { expect, it } from "vitest";
import {
  selectPrivateRegistryUrls,
  resolveRegistryAddresses,
} from "../../../src/depshealth/ecosystem/registry-addresses.ts";
import { resolveDataSourceAddress } from "../../../src/depshealth/source/source-addresses.ts";

it("[file.registry-defaults] has an address of its own for every registry, each over TLS", () => {
  const { cargoName, ...addresses } = resolveRegistryAddresses({});
  for (const address of Object.values(addresses)) {
    const url = new URL(address);
    expect(url.protocol).toBe("https:");
    expect(url.hostname).toContain(".");
    expect(address.endsWith("/")).toBe(false);
  }
  expect(new URL(addresses.cargoApi).host).toBe(cargoName);
  expect(addresses.cargoIndex).not.toBe(addresses.cargoApi);
  expect(addresses.goProxy).not.toBe(addresses.goSite);
  expect(new URL(addresses.maven).pathname).not.toBe("/");
});

it("[file.registries] puts all parts of a registry below the one configured address", () => {
  const base = "http://127.0.0.1:9002";
  const names = ["npm", "pypi", "cargo", "rubygems", "go", "maven", "nuget", "packagist"];
  const configured = Object.fromEntries(names.map((name) => [name, `${base}/${name}/`]));
  expect(resolveRegistryAddresses(configured)).toMatchObject({
    npm: `${base}/npm`,
    cargoApi: `${base}/cargo`,
    cargoIndex: `${base}/cargo/index`,
    goProxy: `${base}/go`,
    goSite: `${base}/go`,
    maven: `${base}/maven`,
    packagistFiles: `${base}/packagist`,
    packagistSite: `${base}/packagist`,
  });
  expect(resolveRegistryAddresses({ nuget: `${base}/nuget/v3/index.json` }).nuget).toBe(
    `${base}/nuget`,
  );
});

it("[sources.manners] takes a public address that is written out for the public one, with all its parts and limits", () => {
  const open = resolveRegistryAddresses({});
  const configured = {
    cargo: `${open.cargoApi}/`,
    go: open.goProxy,
    npm: open.npm,
    packagist: "http://127.0.0.1:1/packagist",
  };
  const own = selectPrivateRegistryUrls(configured);
  expect(own).toEqual({ packagist: "http://127.0.0.1:1/packagist" });
  expect(resolveRegistryAddresses(own)).toMatchObject({
    cargoIndex: open.cargoIndex,
    goSite: open.goSite,
  });
  const osv = resolveDataSourceAddress("osv", {})?.base ?? "";
  expect(resolveDataSourceAddress("osv", { osv: `${osv}/v1` })).toEqual({
    base: osv,
    isOwn: false,
  });
});

it.each([
  ["osv", "http://127.0.0.1:1/osv/", "http://127.0.0.1:1/osv"],
  ["osv", "http://127.0.0.1:1/v1", "http://127.0.0.1:1"],
  ["depsdev", "http://127.0.0.1:1/v3alpha", "http://127.0.0.1:1"],
  ["endoflife", "http://127.0.0.1:1/api/v1", "http://127.0.0.1:1"],
] as const)("takes the address of %s with or without its version", (source, given, base) => {
  expect(resolveDataSourceAddress(source, { [source]: given })).toEqual({
    base,
    isOwn: true,
  });
});

it("knows sources that are off, and public ones", () => {
  expect(resolveDataSourceAddress("osv", { osv: "off" })).toBeUndefined();
  expect(resolveDataSourceAddress("osv", {})).toMatchObject({ isOwn: false });
});
