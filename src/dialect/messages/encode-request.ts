import { recordToMap } from "../../platform/lookup-table.ts";
import { noToolCallIds } from "../tool-call-ids.ts";
import type { EncodedRequest, TargetEncodingContext } from "../codec.ts";
import { shortenEndUserId } from "../end-user.ts";
import { withoutUndefined } from "../json.ts";
import { dropOptionalHostedTools } from "../hosted-tools.ts";
import { collectOriginalTools } from "../tool-names.ts";
import type { TextPart, NeutralRequest } from "../neutral-request.ts";
import { encodeMessagesTextBlock } from "./encode-parts.ts";
import { encodeMessagesOutputFormat, type MessagesEncodedOutputFormat } from "./encode-format.ts";
import { encodeMessages } from "./encode-messages.ts";
import { encodeMessagesSampling } from "./encode-controls.ts";
import { encodeMessagesThinking, type MessagesEncodedThinkingConfig } from "./encode-thinking.ts";
import { encodeMessagesToolChoice } from "./encode-tool-choice.ts";
import { encodeMessagesTools, isHostedToolSupported } from "./encode-tools.ts";
import { encodeMessagesExtras } from "./encode-extras.ts";
import { mcpConnectorBeta, encodeMessagesMcpServers, hasMcpConnectorTools } from "./mcp-servers.ts";
import { defaultMessagesMaxTokens, type MessagesWireObject } from "./wire.ts";
import { defaultAnthropicVersion } from "../../platform/endpoint/credential-headers.ts";
import {
  createMessagesRequestEncodingContext,
  type MessagesRequestEncodingContext,
} from "./encoding-context.ts";

/**
 * Writes a request for an upstream of the messages dialect. The members stand in
 * a fixed order, so that equal turns give equal bytes.
 */
export function encodeMessagesRequest(
  asked: NeutralRequest,
  target: TargetEncodingContext,
): EncodedRequest {
  const turn = dropOptionalHostedTools(asked, target.warnings, (tool) =>
    isHostedToolSupported(tool, asked, target),
  );
  const writing = createMessagesRequestEncodingContext(turn, target);
  const format = encodeMessagesOutputFormat(writing);
  const body = encodeBody(writing, format);
  const beta = "mcp_servers" in body ? ["anthropic-beta", mcpConnectorBeta] : [];
  return {
    body,
    headers: ["anthropic-version", defaultAnthropicVersion, ...beta],
    restoreInfo: {
      tools: collectOriginalTools(turn, writing.names, true),
      jsonTool: format.tool?.name,
      callIds: reservedIds(writing),
      stop: [],
    },
  };
}

function reservedIds({ callIds }: MessagesRequestEncodingContext): ReadonlySet<string> {
  return callIds.size === 0 ? noToolCallIds : new Set([...callIds.keys(), ...callIds.values()]);
}

function encodeBody(
  writing: MessagesRequestEncodingContext,
  format: MessagesEncodedOutputFormat,
): MessagesWireObject {
  const { request: turn } = writing;
  const { messages, hoisted, isPrefilled } = encodeMessages(writing);
  const cap = encodeMaxTokens(writing);
  const { tools, choice } = encodeToolUse(writing, format);
  const isForced = choice?.["type"] === "any" || choice?.["type"] === "tool";
  const thinking = encodeMessagesThinking(writing, { maxTokens: cap, isForced, isPrefilled });
  const system = encodeSystem(writing, hoisted, format);
  const { temperature, topP, topK } = encodeMessagesSampling(writing, thinking.isThinking);
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
    ...encodeMessagesMcpServers(writing),
    ...encodeMessagesExtras(writing),
    stream: turn.isStream ? true : undefined,
  });
}

/** This dialect demands a cap; 0 only warms a cache, which no other dialect can mean. */
function encodeMaxTokens({
  request: turn,
  capabilities,
  warnings: ledger,
}: MessagesRequestEncodingContext): number {
  const cap = turn.maxOutputTokens;
  if (cap === undefined) return capabilities.maxOutputTokens ?? defaultMessagesMaxTokens;
  if (cap.value < 1 && turn.origin !== "dialect_messages") {
    ledger.reject(cap.path, `\`${cap.path}\` must be at least 1.`);
  }
  return cap.value;
}

function encodeSystem(
  writing: MessagesRequestEncodingContext,
  hoisted: readonly TextPart[],
  { instruction: sentence }: MessagesEncodedOutputFormat,
): readonly MessagesWireObject[] {
  const blocks = [...writing.request.system, ...hoisted].flatMap((part) =>
    encodeMessagesTextBlock(writing, part),
  );
  return sentence === undefined ? blocks : [...blocks, { type: "text", text: sentence }];
}

/** Tools and the choice among them; the hidden tool is forced where there is no other to call. */
function encodeToolUse(
  writing: MessagesRequestEncodingContext,
  { tool }: MessagesEncodedOutputFormat,
) {
  const own = encodeMessagesTools(writing);
  const choice = encodeMessagesToolChoice(writing, own);
  if (tool === undefined) return { tools: own, choice };
  const isOnly =
    (own.length === 0 && !hasMcpConnectorTools(writing)) || choice?.["type"] === "none";
  const forced = { type: "tool", name: tool.name, disable_parallel_tool_use: true };
  return { tools: [...own, tool], choice: isOnly ? forced : choice };
}

function encodeOutput(
  { effort }: MessagesEncodedThinkingConfig,
  { format }: MessagesEncodedOutputFormat,
): MessagesWireObject | undefined {
  return effort === undefined && format === undefined
    ? undefined
    : withoutUndefined({ effort, format });
}

function encodeMetadata({
  request: turn,
  warnings: ledger,
}: MessagesRequestEncodingContext): MessagesWireObject | undefined {
  const { user, origin } = turn;
  if (user === undefined) return undefined;
  return { user_id: origin === "dialect_messages" ? user.value : shortenEndUserId(user, ledger) };
}

/** What this dialect has no word for. */
function leaveOut({ request: turn, warnings: ledger }: MessagesRequestEncodingContext): void {
  if (turn.logprobs !== undefined) {
    ledger.reject(turn.logprobs.path, "This upstream tells no probabilities of tokens.");
  }
  if (turn.metadata !== undefined) ledger.drop(turn.metadata.path, "unsupported");
  if (turn.verbosity !== undefined) ledger.drop(turn.verbosity.path, "unsupported");
}

/** The vendor refuses sequences of white space. */
function encodeStop({
  request: turn,
  warnings: ledger,
}: MessagesRequestEncodingContext): readonly string[] | undefined {
  const { stop } = turn;
  if (stop === undefined || turn.origin === "dialect_messages") return stop?.value;
  const kept = stop.value.filter((sequence) => sequence.trim() !== "");
  if (kept.length < stop.value.length) ledger.drop(stop.path, "unsupported");
  return kept.length === 0 ? undefined : kept;
}

const tiers = recordToMap<string>({ auto: "auto", default: "standard_only" });

function encodeTier({
  request: turn,
  warnings: ledger,
}: MessagesRequestEncodingContext): string | undefined {
  const tier = turn.serviceTier;
  if (tier === undefined) return undefined;
  if (turn.origin === "dialect_messages") return tier.value;
  const word = tiers.get(tier.value);
  if (word === undefined) ledger.drop(tier.path, "unsupported");
  return word;
}
