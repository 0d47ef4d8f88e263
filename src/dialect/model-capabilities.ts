import type { DialectId } from "../platform/configuration/configuration.ts";
import { type ModelCapabilities, unknownModelCapabilities } from "./capabilities.ts";

/** What is known of a model before it is called. */
export interface ModelCapabilityInferenceInput {
  /** The id that the upstream knows, vendor prefixes and dates included. */
  readonly model: string;
  /** The upstream's dialect. */
  readonly dialect: DialectId;
  /** The vendor's own server, not a compatible one. */
  readonly firstParty: boolean;
  /** `model_meta.max_output_tokens`, told by the upstream; it wins over the family's. */
  readonly maxOutputTokens: number | undefined;
}

/**
 * Capabilities of a model by its family, as documented by the vendors. A model of
 * no known family is taken for a compatible server's: `unknownModelCapabilities`.
 */
export function inferModelCapabilities(known: ModelCapabilityInferenceInput): ModelCapabilities {
  const family = known.dialect === "dialect_messages" ? claudeFamily(known) : chatFamily(known);
  const maxOutputTokens = known.maxOutputTokens ?? family.maxOutputTokens;
  return { ...unknownModelCapabilities, ...serverOf(known), ...family, maxOutputTokens };
}

function serverOf({ firstParty }: ModelCapabilityInferenceInput): Partial<ModelCapabilities> {
  if (!firstParty) return {};
  return { firstParty, maxTokensField: "max_completion_tokens", promptCache: true };
}

interface ClaudeVersion {
  readonly name: string | undefined;
  /** Major times 100 plus minor: 4.5 is 405. */
  readonly version: number;
}

const claudePattern =
  /claude-(?:(opus|sonnet|haiku)-)?(\d{1,2})(?:[.-](\d{1,2})(?!\d))?(?:-(opus|sonnet|haiku))?/;

function claudeVersion(model: string): ClaudeVersion | undefined {
  const found = claudePattern.exec(model.toLowerCase());
  if (found === null) return undefined;
  const [, before, major, minor, after] = found;
  return { name: before ?? after, version: Number(major) * 100 + Number(minor ?? 0) };
}

/** The vendor's own tools are on the vendor's own server only. */
function claudeFamily({
  model,
  firstParty,
}: ModelCapabilityInferenceInput): Partial<ModelCapabilities> {
  const claude = claudeVersion(model);
  if (claude === undefined) return {};
  const hasTools = firstParty && claude.version >= 307;
  return {
    maxOutputTokens: claudeOutput(claude),
    sampling: claude.version < 407,
    midConversationSystem: isAtLeast(claude, 408, 500) ? "native" : "demote",
    ...claudeThinking(claude),
    ...claudeStructure(claude),
    ...(hasTools ? { serverTools: ["web_search"], mcpConnector: true } : {}),
  };
}

function claudeOutput({ name, version }: ClaudeVersion): number {
  if (version < 305) return 4096;
  if (version < 307) return 8192;
  if (version < 405) return name === "opus" ? 32_000 : 64_000;
  return version >= 406 && name === "opus" ? 128_000 : 64_000;
}

function claudeThinking({ version }: ClaudeVersion): Partial<ModelCapabilities> {
  if (version < 307) return { thinking: "none" };
  if (version < 406) return { thinking: "budget" };
  return { thinking: "adaptive", highestEffort: "max", lacksXhigh: version < 407 };
}

function claudeStructure(claude: ClaudeVersion): Partial<ModelCapabilities> {
  const isNative = isAtLeast(claude, 401, 405);
  return { structuredOutput: isNative ? "native" : "tool", strictTools: isNative };
}

/** Opus is ahead of its family. */
function isAtLeast({ name, version }: ClaudeVersion, opus: number, others: number): boolean {
  return version >= (name === "opus" ? opus : others);
}

/** Reasoning models of the vendor itself; a compatible server may well take what they refuse. */
const reasoningModel = /^(?:o\d|gpt-[5-9](?!.*chat))/;
/** Of these, the ones that take `xhigh`. */
const hardThinker = /^gpt-5\.[2-9]|^gpt-[6-9]|codex-max/;
/** Models whose servers want the reasoning of a tool loop back. */
const echoModel = /kimi-k2-thinking|minimax-m2|deepseek-(?:v3\.2|v4)|mimo-v2/;

/** Models of the vendor itself that search the web. */
const searchModel = /-search-(?:preview|api)/;

function chatFamily(known: ModelCapabilityInferenceInput): Partial<ModelCapabilities> {
  return known.firstParty
    ? { midConversationSystem: "native", ...openFamily(known) }
    : openFamily(known);
}

function openFamily({
  model,
  firstParty,
}: ModelCapabilityInferenceInput): Partial<ModelCapabilities> {
  const name = model.toLowerCase();
  if (firstParty && searchModel.test(name)) return { sampling: false, serverTools: ["web_search"] };
  if (firstParty && reasoningModel.test(name)) {
    const highestEffort = hardThinker.test(name) ? "xhigh" : "high";
    return { sampling: false, hasLowEfforts: !/^o\d/.test(name), highestEffort };
  }
  return echoModel.test(name) ? { reasoningEcho: true } : {};
}
