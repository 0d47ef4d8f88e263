import { lookupTable } from "../../platform/lookup-table.ts";
import { noCallIds } from "../call-ids.ts";
import type { EncodedRequest, TargetContext } from "../codec.ts";
import { endUserId } from "../end-user.ts";
import { withoutUndefined } from "../json.ts";
import { withoutOffered } from "../offered-tools.ts";
import { recallTools } from "../tool-names.ts";
import type { TextPart, Turn } from "../turn.ts";
import { encodeText } from "./encode-parts.ts";
import { encodeFormat, type EncodedFormat } from "./encode-format.ts";
import { encodeMessages } from "./encode-messages.ts";
import { encodeSampling } from "./encode-controls.ts";
import { encodeThinking, type EncodedThinking } from "./encode-thinking.ts";
import { encodeToolChoice } from "./encode-tool-choice.ts";
import { encodeTools, hasTool } from "./encode-tools.ts";
import { encodeExtras } from "./encode-extras.ts";
import { connectorBeta, encodeServers, hasServers } from "./mcp-servers.ts";
import { defaultMaxTokens, olderVersion, type WireObject } from "./wire.ts";
import { startWriting, type Writing } from "./writing.ts";

/**
 * Writes a request for an upstream of the messages dialect. The members stand in
 * a fixed order, so that equal turns give equal bytes.
 */
export function encodeRequest(asked: Turn, target: TargetContext): EncodedRequest {
  const turn = withoutOffered(asked, target.ledger, (tool) => hasTool(tool, asked, target));
  const writing = startWriting(turn, target);
  const format = encodeFormat(writing);
  const body = encodeBody(writing, format);
  const beta = "mcp_servers" in body ? ["anthropic-beta", connectorBeta] : [];
  return {
    body,
    headers: ["anthropic-version", olderVersion, ...beta],
    recall: {
      tools: recallTools(turn, writing.names, true),
      jsonTool: format.tool?.name,
      callIds: takenIds(writing),
      stop: [],
    },
  };
}

function takenIds({ callIds }: Writing): ReadonlySet<string> {
  return callIds.size === 0 ? noCallIds : new Set([...callIds.keys(), ...callIds.values()]);
}

function encodeBody(writing: Writing, format: EncodedFormat): WireObject {
  const { turn } = writing;
  const { messages, hoisted, isPrefilled } = encodeMessages(writing);
  const cap = encodeCap(writing);
  const { tools, choice } = encodeCalling(writing, format);
  const isForced = choice?.["type"] === "any" || choice?.["type"] === "tool";
  const thinking = encodeThinking(writing, { cap, isForced, isPrefilled });
  const system = encodeSystem(writing, hoisted, format);
  const { temperature, topP, topK } = encodeSampling(writing, thinking.isThinking);
  leaveOut(writing);
  return withoutUndefined({
    model: writing.model,
    max_tokens: cap,
    system: system.length === 0 ? undefined : system,
    messages,
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: choice,
    thinking: thinking.thinking,
    output_config: encodeOutput(thinking, format),
    temperature,
    top_p: topP,
    top_k: topK,
    stop_sequences: encodeStop(writing),
    metadata: encodeMetadata(writing),
    service_tier: encodeTier(writing),
    ...encodeServers(writing),
    ...encodeExtras(writing),
    stream: turn.isStream ? true : undefined,
  });
}

/** This dialect demands a cap; 0 only warms a cache, which no other dialect can mean. */
function encodeCap({ turn, capabilities, ledger }: Writing): number {
  const cap = turn.maxOutputTokens;
  if (cap === undefined) return capabilities.maxOutputTokens ?? defaultMaxTokens;
  if (cap.value < 1 && turn.origin !== "dialect_messages") {
    ledger.refuse(cap.path, `\`${cap.path}\` must be at least 1.`);
  }
  return cap.value;
}

function encodeSystem(
  writing: Writing,
  hoisted: readonly TextPart[],
  { sentence }: EncodedFormat,
): readonly WireObject[] {
  const blocks = [...writing.turn.system, ...hoisted].flatMap((part) => encodeText(writing, part));
  return sentence === undefined ? blocks : [...blocks, { type: "text", text: sentence }];
}

/** Tools and the choice among them; the hidden tool is forced where there is no other to call. */
function encodeCalling(writing: Writing, { tool }: EncodedFormat) {
  const own = encodeTools(writing);
  const choice = encodeToolChoice(writing, own);
  if (tool === undefined) return { tools: own, choice };
  const isOnly = (own.length === 0 && !hasServers(writing)) || choice?.["type"] === "none";
  const forced = { type: "tool", name: tool.name, disable_parallel_tool_use: true };
  return { tools: [...own, tool], choice: isOnly ? forced : choice };
}

function encodeOutput(
  { effort }: EncodedThinking,
  { format }: EncodedFormat,
): WireObject | undefined {
  return effort === undefined && format === undefined
    ? undefined
    : withoutUndefined({ effort, format });
}

function encodeMetadata({ turn, ledger }: Writing): WireObject | undefined {
  const { user, origin } = turn;
  if (user === undefined) return undefined;
  return { user_id: origin === "dialect_messages" ? user.value : endUserId(user, ledger) };
}

/** What this dialect has no word for. */
function leaveOut({ turn, ledger }: Writing): void {
  if (turn.logprobs !== undefined) {
    ledger.refuse(turn.logprobs.path, "This upstream tells no probabilities of tokens.");
  }
  if (turn.metadata !== undefined) ledger.drop(turn.metadata.path, "unsupported");
  if (turn.verbosity !== undefined) ledger.drop(turn.verbosity.path, "unsupported");
}

/** The vendor refuses sequences of white space. */
function encodeStop({ turn, ledger }: Writing): readonly string[] | undefined {
  const { stop } = turn;
  if (stop === undefined || turn.origin === "dialect_messages") return stop?.value;
  const kept = stop.value.filter((sequence) => sequence.trim() !== "");
  if (kept.length < stop.value.length) ledger.drop(stop.path, "unsupported");
  return kept.length === 0 ? undefined : kept;
}

const tiers = lookupTable<string>({ auto: "auto", default: "standard_only" });

function encodeTier({ turn, ledger }: Writing): string | undefined {
  const tier = turn.serviceTier;
  if (tier === undefined) return undefined;
  if (turn.origin === "dialect_messages") return tier.value;
  const word = tiers.get(tier.value);
  if (word === undefined) ledger.drop(tier.path, "unsupported");
  return word;
}
