import { withoutUndefined } from "../json.ts";
import { serializeCustomToolInput } from "../custom-tool.ts";
import { rejectOpaquePart } from "../opaque-text.ts";
import type {
  NeutralPart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  NeutralMessage,
} from "../neutral-request.ts";
import { buildChatCacheBreakpointMember } from "./encode-breakpoints.ts";
import { warnAboutChatDroppedCitations, encodeChatTextPart } from "./encode-parts.ts";
import type { ChatWireObject } from "./wire.ts";
import type { ChatRequestEncodingContext } from "./encoding-context.ts";

/** An assistant's message: its words joined, then its calls. One that has nothing left is no message. */
export function encodeChatAssistantMessage(
  { parts, name }: NeutralMessage,
  writing: ChatRequestEncodingContext,
): readonly ChatWireObject[] {
  warnAboutOrder(parts, writing);
  rejectForeign(parts, writing);
  const content = encodeWords(ofType(parts, "text"), writing);
  const refusal = join(ofType(parts, "refusal"));
  const calls = ofType(parts, "tool-call").map((call) => encodeCall(call, writing));
  const reasoning = encodeReasoning(ofType(parts, "reasoning"), writing);
  if (content === undefined && refusal === undefined && calls.length === 0) return [];
  return [
    withoutUndefined({
      role: "assistant",
      content: content ?? null,
      reasoning_content: reasoning,
      refusal,
      tool_calls: calls.length === 0 ? undefined : calls,
      name,
    }),
  ];
}

type PartOf<Type extends NeutralPart["type"]> = Extract<NeutralPart, { type: Type }>;

function ofType<Type extends NeutralPart["type"]>(
  parts: readonly NeutralPart[],
  type: Type,
): readonly PartOf<Type>[] {
  return parts.filter((part): part is PartOf<Type> => part.type === type);
}

function encodeWords(parts: readonly TextPart[], writing: ChatRequestEncodingContext): unknown {
  if (
    parts.some(
      ({ cache }) => "prompt_cache_breakpoint" in buildChatCacheBreakpointMember(cache, writing),
    )
  ) {
    return parts.map((part) => encodeChatTextPart(part, writing));
  }
  for (const part of parts) warnAboutChatDroppedCitations(part, writing);
  return join(parts);
}

/** Undefined for nothing said. */
function join(parts: readonly { readonly text: string }[]): string | undefined {
  const text = parts.map((part) => part.text).join("");
  return text === "" ? undefined : text;
}

function encodeCall(
  call: ToolCallPart,
  { names, capabilities }: ChatRequestEncodingContext,
): ChatWireObject {
  const { id, kind } = call;
  const name = names.of(call.name, call.namespace);
  if (kind === "custom" && capabilities.firstParty) {
    return { id, type: "custom", custom: { name, input: call.arguments } };
  }
  const json =
    kind === "custom" ? serializeCustomToolInput(call.arguments) : call.arguments || "{}";
  return { id, type: "function", function: { name, arguments: json } };
}

/** Thoughts go back only to a server that wants them, and only its own. */
function encodeReasoning(
  parts: readonly ReasoningPart[],
  { capabilities, warnings: ledger }: ChatRequestEncodingContext,
): string | undefined {
  const texts: string[] = [];
  for (const { encrypted: seal, texts: own, path } of parts) {
    const isOurs = seal?.dialect === "dialect_chat";
    if (isOurs && capabilities.reasoningEcho) for (const text of own) texts.push(text);
    else ledger.drop(path, isOurs ? "unsupported" : "foreign");
  }
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

/** Chat says its words before its calls. */
function warnAboutOrder(
  parts: readonly NeutralPart[],
  { warnings: ledger }: ChatRequestEncodingContext,
): void {
  const firstCall = parts.findIndex(({ type }) => type === "tool-call");
  if (firstCall === -1) return;
  const late = parts.slice(firstCall).filter((part) => part.type === "text" && part.text !== "");
  for (const { path } of late) ledger.approximate(path, "position");
}

function rejectForeign(
  parts: readonly NeutralPart[],
  { warnings: ledger }: ChatRequestEncodingContext,
): void {
  for (const part of parts) {
    if (part.type === "opaque") {
      rejectOpaquePart(part, ledger);
    } else if (part.type === "image" || part.type === "file") {
      ledger.reject(part.path, "In chat an assistant's message has words and calls only.");
    }
  }
}
