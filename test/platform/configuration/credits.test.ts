import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Clock } from "../../../src/platform/clock.ts";
import { readConfiguration } from "../../../src/platform/configuration/configuration.ts";
import { ConfigurationError } from "../../../src/platform/configuration/configuration-error.ts";
import { folderForTest } from "../../support/folder-for-test.ts";

function read(content: unknown, clock?: Clock) {
  const path = join(folderForTest(), "causeway.json");
  writeFileSync(path, JSON.stringify(content));
  return readConfiguration({ CAUSEWAY_CONFIG: path }, clock);
}

const catalogue = (...catalog: readonly object[]) => read({ credits: { catalog } }).credits.catalog;

const mini = { id: "mini", vendor: "openai", model: "gpt-5-mini" };

function problemOf(content: unknown): string {
  try {
    read(content);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as Error).message;
  }
  throw new Error("The configuration was accepted.");
}

/** Files of the price package that are in use. */
function loadedPrices(): readonly string[] {
  const { cache } = createRequire(import.meta.url);
  return Object.keys(cache).filter((file) => file.includes("genai-prices"));
}

describe("credits.catalog", () => {
  // Other files of this process may have needed it.
  beforeEach(() => {
    const { cache } = createRequire(import.meta.url);
    for (const file of loadedPrices()) delete cache[file];
  });

  it("asks nobody where the prices are given", () => {
    const given = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };
    expect(catalogue({ ...mini, ...given })[0]).toEqual({
      ...mini,
      tier: undefined,
      contextWindow: undefined,
      maxOutputTokens: undefined,
      price: {
        inputUsdPerMtok: 1,
        outputUsdPerMtok: 2,
        cachedInputUsdPerMtok: undefined,
        cacheWriteUsdPerMtok: undefined,
        source: "configuration",
      },
    });
    expect(loadedPrices()).toEqual([]);
  });

  it("takes prices that are not given from the package, cached input and the window with them", () => {
    expect(catalogue(mini)[0]).toMatchObject({
      contextWindow: 400_000,
      price: {
        inputUsdPerMtok: 0.25,
        outputUsdPerMtok: 2,
        cachedInputUsdPerMtok: 0.025,
        source: expect.stringMatching(/^@pydantic\/genai-prices /),
      },
    });
  });

  it("takes them of the time that the clock tells", () => {
    const catalog = [{ id: "o3", vendor: "openai", model: "o3" }];
    const inputUsd = (time: string) => {
      const { credits } = read({ credits: { catalog } }, { now: () => Date.parse(time) });
      return credits.catalog[0]?.price.inputUsdPerMtok;
    };
    expect([inputUsd("2025-01-01"), inputUsd("2026-01-01")]).toEqual([10, 2]);
  });

  it("[file.credits] lets what is given win field by field, for long prompts too", () => {
    const entry = { id: "s", vendor: "anthropic", model: "claude-sonnet-4-5" };
    const own = { output_usd_per_mtok: 50, cached_input_usd_per_mtok: 0, context_window: 7 };
    const [priced] = catalogue({ ...entry, ...own });
    expect(priced).toMatchObject({
      contextWindow: 7,
      price: {
        inputUsdPerMtok: 3,
        outputUsdPerMtok: 50,
        cachedInputUsdPerMtok: 0,
        cacheWriteUsdPerMtok: 3.75,
        tiers: [{ inputUsdPerMtok: 6, outputUsdPerMtok: 50, cachedInputUsdPerMtok: 0 }],
        source: expect.stringMatching(/^configuration, @pydantic\/genai-prices /),
      },
    });
  });

  it("refuses a model that nobody has a price of, and names the entry", () => {
    const unknown = { id: "odd", vendor: "acme", model: "acme-large", output_usd_per_mtok: 1 };
    const message = problemOf({ credits: { catalog: [mini, unknown] } });
    expect(message).toMatch(/causeway\.json: credits\.catalog\[1\]/);
    expect(message).toContain("the entry `odd` has no prices");
    expect(message).toContain("give input_usd_per_mtok and output_usd_per_mtok");
  });
});

describe("vendors with logins", () => {
  const common = { label: "Code", base_url: "https://code.example/v1", dialects: ["dialect_chat"] };
  const problem = (vendor: object) => problemOf({ vendors: { code: { ...common, ...vendor } } });

  it("[file.vendor-auth] name where they are renewed", () => {
    const renewal = { token_url: "https://id.example/token", client_id: "app", client_secret: "s" };
    const { vendors } = read({ vendors: { code: { ...common, auth: "login", ...renewal } } });
    expect(vendors["code"]?.tokenEndpoint).toMatchObject({
      url: "https://id.example/token",
      clientId: "app",
      scope: undefined,
    });
    expect(JSON.stringify(vendors)).toContain('"clientSecret":"[redacted]"');
    const plain = read({ vendors: { code: { ...common, auth: "login" } } });
    expect(plain.vendors["code"]?.tokenEndpoint).toBeUndefined();
  });

  it.each([
    [{ auth: "bearer", token_url: "https://x.example/t" }, "code.token_url: is for vendors with"],
    [{ auth: "login", client_id: "app" }, "code.token_url: is missing"],
    [{ auth: "login", token_url: "https://x.example/t" }, "code.client_id: is missing"],
    [{ auth: "login", token_url: "ftp://x", client_id: "a" }, "code.token_url: must be an http"],
  ])("are refused when %j is all that is said", (vendor, message) => {
    expect(problem(vendor)).toContain(message);
  });
});
