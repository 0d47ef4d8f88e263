import { withoutUndefined } from "../json.ts";
import { wrapInput } from "../custom-tool.ts";
import { refuseOpaque } from "../opaque-words.ts";
import type { Part, ReasoningPart, TextPart, ToolCallPart, TurnMessage } from "../turn.ts";
import { breakpointOf } from "./encode-breakpoints.ts";
import { dropCitations, textPart } from "./encode-parts.ts";
import type { WireObject } from "./wire.ts";
import type { Writing } from "./writing.ts";

/** An assistant's message: its words joined, then its calls. One that has nothing left is no message. */
export function encodeAssistant(
  { parts, name }: TurnMessage,
  writing: Writing,
): readonly WireObject[] {
  warnOfOrder(parts, writing);
  refuseForeign(parts, writing);
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

type PartOf<Type extends Part["type"]> = Extract<Part, { type: Type }>;

function ofType<Type extends Part["type"]>(
  parts: readonly Part[],
  type: Type,
): readonly PartOf<Type>[] {
  return parts.filter((part): part is PartOf<Type> => part.type === type);
}

function encodeWords(parts: readonly TextPart[], writing: Writing): unknown {
  if (parts.some(({ cache }) => "prompt_cache_breakpoint" in breakpointOf(cache, writing))) {
    return parts.map((part) => textPart(part, writing));
  }
  for (const part of parts) dropCitations(part, writing);
  return join(parts);
}

/** Undefined for nothing said. */
function join(parts: readonly { readonly text: string }[]): string | undefined {
  const text = parts.map((part) => part.text).join("");
  return text === "" ? undefined : text;
}

function encodeCall(call: ToolCallPart, { names, capabilities }: Writing): WireObject {
  const { id, kind } = call;
  const name = names.of(call.name, call.namespace);
  if (kind === "custom" && capabilities.firstParty) {
    return { id, type: "custom", custom: { name, input: call.arguments } };
  }
  const json = kind === "custom" ? wrapInput(call.arguments) : call.arguments || "{}";
  return { id, type: "function", function: { name, arguments: json } };
}

/** Thoughts go back only to a server that wants them, and only its own. */
function encodeReasoning(
  parts: readonly ReasoningPart[],
  { capabilities, ledger }: Writing,
): string | undefined {
  const texts: string[] = [];
  for (const { seal, texts: own, path } of parts) {
    const isOurs = seal?.dialect === "dialect_chat";
    if (isOurs && capabilities.reasoningEcho) texts.push(...own);
    else ledger.drop(path, isOurs ? "unsupported" : "foreign");
  }
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

/** Chat says its words before its calls. */
function warnOfOrder(parts: readonly Part[], { ledger }: Writing): void {
  const firstCall = parts.findIndex(({ type }) => type === "tool-call");
  if (firstCall === -1) return;
  const late = parts.slice(firstCall).filter((part) => part.type === "text" && part.text !== "");
  for (const { path } of late) ledger.approximate(path, "position");
}

function refuseForeign(parts: readonly Part[], { ledger }: Writing): void {
  for (const part of parts) {
    if (part.type === "opaque") {
      refuseOpaque(part, ledger);
    } else if (part.type === "image" || part.type === "file") {
      ledger.refuse(part.path, "In chat an assistant's message has words and calls only.");
    }
  }
}
