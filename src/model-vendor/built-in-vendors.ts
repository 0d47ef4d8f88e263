import type { DialectId, VendorCatalogEntry } from "../platform/configuration/configuration.ts";

/**
 * The vendors that every installation knows. To add one: its base address as its
 * documentation gives it for compatible clients, the dialects that it speaks there
 * (the preferred one first) and how it takes a key. Its models are discovered
 * from `<base address>/models`. An operator changes or adds vendors in the
 * configuration file (`vendors`), which wins by id.
 */
export const builtInVendors: Readonly<Record<string, VendorCatalogEntry>> = {
  anthropic: {
    ...vendor("Anthropic", "https://api.anthropic.com/v1", "dialect_messages"),
    auth: "x-api-key",
    isFirstParty: true,
  },
  openai: {
    ...vendor("OpenAI", "https://api.openai.com/v1", "dialect_responses", "dialect_chat"),
    isFirstParty: true,
  },
  cerebras: vendor("Cerebras", "https://api.cerebras.ai/v1"),
  cohere: vendor("Cohere", "https://api.cohere.ai/compatibility/v1"),
  dashscope: vendor(
    "Alibaba Model Studio",
    "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
  ),
  deepinfra: vendor("DeepInfra", "https://api.deepinfra.com/v1/openai"),
  deepseek: vendor("DeepSeek", "https://api.deepseek.com/v1"),
  fireworks: vendor("Fireworks", "https://api.fireworks.ai/inference/v1"),
  google: vendor("Google Gemini", "https://generativelanguage.googleapis.com/v1beta/openai"),
  groq: vendor("Groq", "https://api.groq.com/openai/v1"),
  huggingface: vendor("Hugging Face", "https://router.huggingface.co/v1"),
  mistral: vendor("Mistral", "https://api.mistral.ai/v1"),
  moonshot: vendor("Moonshot", "https://api.moonshot.ai/v1"),
  nvidia: vendor("NVIDIA", "https://integrate.api.nvidia.com/v1"),
  openrouter: vendor("OpenRouter", "https://openrouter.ai/api/v1"),
  perplexity: vendor("Perplexity", "https://api.perplexity.ai"),
  sambanova: vendor("SambaNova", "https://api.sambanova.ai/v1"),
  together: vendor("Together", "https://api.together.xyz/v1"),
  xai: vendor("xAI", "https://api.x.ai/v1"),
  zai: vendor("Z.ai", "https://api.z.ai/api/paas/v4"),
};

/** A compatible server that takes its key as a bearer, unless its entry says otherwise. */
function vendor(label: string, baseUrl: string, ...dialects: DialectId[]): VendorCatalogEntry {
  return {
    label,
    baseUrl,
    dialects: dialects.length === 0 ? ["dialect_chat"] : dialects,
    auth: "bearer",
    models: undefined,
  };
}
