import { calcPrice, findProvider } from "@pydantic/genai-prices";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findBundledModelPrice } from "../../../src/platform/configuration/package-prices.ts";
import { computeCallCostNano } from "../../../src/domain/compute-cost.ts";

const now = new Date("2026-11-22T12:00:00Z");

/** Each by our vendor id, the package's provider id, and a model of both. */
const models = [
  ["openai", "openai", "gpt-5-mini"],
  ["anthropic", "anthropic", "claude-sonnet-4-5"],
  ["anthropic", "anthropic", "claude-opus-4-5"],
  ["google", "google", "gemini-2.5-pro"],
  ["xai", "x-ai", "grok-4"],
  ["moonshot", "moonshotai", "kimi-k2-0905-preview"],
  ["groq", "groq", "llama-3.3-70b-versatile"],
] as const;

describe("findPackageModel()", () => {
  it.each(models)("prices a model of %s (%s), %s, as the package does", (id, providerId, model) => {
    const known = findBundledModelPrice({ id, baseUrl: undefined }, model, now);
    const provider = findProvider({ providerId });
    if (known === undefined || provider === undefined) throw new Error("not known");
    const tokens = fc.record({
      input: fc.nat(300_000),
      cacheRead: fc.nat(300_000),
      cacheWrite: fc.nat(100_000),
      output: fc.nat(100_000),
    });
    fc.assert(
      fc.property(tokens, ({ input, cacheRead, cacheWrite, output }) => {
        const usage = {
          input_tokens: input + cacheRead + cacheWrite,
          cache_read_tokens: cacheRead,
          cache_write_tokens: cacheWrite,
          output_tokens: output,
        };
        const theirs = calcPrice(usage, model, { provider, timestamp: now })?.total_price ?? 0;
        const ours = Number(
          computeCallCostNano(known.price, { input, cacheRead, cacheWrite, output }),
        );
        expect(Math.abs(ours - theirs * 1e9)).toBeLessThan(2);
      }),
    );
  });

  it("knows a vendor by its address first, then by its id", () => {
    const baseUrl = "https://api.openai.com/v1";
    const byAddress = findBundledModelPrice({ id: "mine", baseUrl }, "gpt-5-mini", now);
    expect(byAddress?.price).toMatchObject({
      inputUsdPerMtok: 0.25,
      cachedInputUsdPerMtok: 0.025,
      outputUsdPerMtok: 2,
    });
    expect(byAddress?.price.source).toMatch(
      /^@pydantic\/genai-prices \d+\.\d+\.\d+ \(openai gpt-5-mini\)$/,
    );
    const proxied = { id: "openai", baseUrl: "http://127.0.0.1:9001/v1" };
    expect(findBundledModelPrice(proxied, "gpt-5-mini", now)).toEqual(byAddress);
    expect(findBundledModelPrice({ ...proxied, id: "acme" }, "gpt-5-mini", now)).toBeUndefined();
  });

  it("says what a long prompt costs, and how long one may be", () => {
    const known = findBundledModelPrice(
      { id: "anthropic", baseUrl: undefined },
      "claude-sonnet-4-5",
      now,
    );
    expect(known).toMatchObject({
      contextWindow: 200_000,
      price: {
        inputUsdPerMtok: 3,
        cacheWriteUsdPerMtok: 3.75,
        tiers: [{ aboveInputTokens: 200_000, inputUsdPerMtok: 6, cachedInputUsdPerMtok: 0.6 }],
      },
    });
  });

  it("takes the dearest of the day where the price changes in the day", () => {
    const at = (time: string) =>
      findBundledModelPrice({ id: "deepseek", baseUrl: undefined }, "deepseek-chat", new Date(time))
        ?.price;
    expect(at("2026-11-22T12:00:00Z")).toMatchObject({ inputUsdPerMtok: 0.27 });
    expect(at("2026-11-22T20:00:00Z")).toEqual(at("2026-11-22T12:00:00Z"));
  });

  it("knows models that embed by their price of input alone", () => {
    const openai = { id: "openai", baseUrl: undefined };
    expect(findBundledModelPrice(openai, "text-embedding-3-small", now)).toMatchObject({
      contextWindow: 8192,
      price: { inputUsdPerMtok: 0.02, outputUsdPerMtok: undefined },
    });
  });

  it("does not know what it has no price of tokens for", () => {
    const openai = { id: "openai", baseUrl: undefined };
    expect(findBundledModelPrice(openai, "no-such-model", now)).toBeUndefined();
    expect(findBundledModelPrice(openai, "whisper-1", now)).toBeUndefined();
    expect(
      findBundledModelPrice({ id: "perplexity", baseUrl: undefined }, "sonar", now),
    ).toBeUndefined();
  });
});
