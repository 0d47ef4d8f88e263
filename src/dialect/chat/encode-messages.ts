import { withoutUndefined } from "../json.ts";
import type { NeutralPart, TextPart, ToolResultPart, NeutralMessage } from "../neutral-request.ts";
import { demoteSystemMessages } from "./demote-system-messages.ts";
import { encodeChatAssistantMessage } from "./encode-assistant.ts";
import { buildChatCacheBreakpointMember } from "./encode-breakpoints.ts";
import { encodeChatContent, encodeChatTextPart, type ChatUserPart } from "./encode-parts.ts";
import { encodeChatToolResults } from "./encode-results.ts";
import type { ChatWireObject } from "./wire.ts";
import type { ChatRequestEncodingContext } from "./encoding-context.ts";
import { appendAll } from "../../platform/append-all.ts";

/**
 * The conversation as chat has it: one leading system text, each result a `tool`
 * message. Throws 400 for a beginning of the answer that chat cannot continue.
 */
export function encodeChatMessages(writing: ChatRequestEncodingContext): readonly ChatWireObject[] {
  rejectPrefill(writing);
  const hoisted = hoistedTexts(writing);
  const written = encodeSystem([...writing.request.system, ...hoisted], writing);
  for (const message of placedMessages(writing))
    appendAll(written, encodeMessage(message, writing));
  return written;
}

function placedMessages({
  request: turn,
  capabilities,
  warnings: ledger,
}: ChatRequestEncodingContext): readonly NeutralMessage[] {
  return capabilities.midConversationSystem === "demote"
    ? demoteSystemMessages(turn.messages, ledger)
    : turn.messages;
}

/** Texts are joined by a blank line, because many servers take one string only. */
function encodeSystem(
  parts: readonly TextPart[],
  writing: ChatRequestEncodingContext,
): ChatWireObject[] {
  const texts = parts.filter(({ text }) => text !== "");
  if (texts.length === 0) return [];
  const isMarked = texts.some(
    ({ cache }) => "prompt_cache_breakpoint" in buildChatCacheBreakpointMember(cache, writing),
  );
  const content = isMarked
    ? texts.map((part) => encodeChatTextPart(part, writing))
    : texts.map(({ text }) => text).join("\n\n");
  return [{ role: "system", content }];
}

/** For strict chat templates, which take a system message at the beginning only. */
function hoistedTexts({
  request: turn,
  capabilities,
  warnings: ledger,
}: ChatRequestEncodingContext): readonly TextPart[] {
  if (capabilities.midConversationSystem !== "hoist") return [];
  return turn.messages.filter(isSystem).flatMap(({ path, parts }) => {
    ledger.approximate(path, "position");
    return parts.filter((part) => part.type === "text");
  });
}

function isSystem({ role }: NeutralMessage): boolean {
  return role === "system";
}

function encodeMessage(
  message: NeutralMessage,
  writing: ChatRequestEncodingContext,
): readonly ChatWireObject[] {
  if (message.phase !== undefined) writing.warnings.drop(`${message.path}.phase`, "unsupported");
  switch (message.role) {
    case "system":
      return writing.capabilities.midConversationSystem === "hoist"
        ? []
        : encodeMidSystem(message, writing);
    case "user":
      return encodeUser(message, writing);
    case "assistant":
      return encodeChatAssistantMessage(message, writing);
    case "tool":
      return encodeChatToolResults(message.parts.filter(isResult), writing);
  }
}

function encodeMidSystem(
  { parts, name }: NeutralMessage,
  writing: ChatRequestEncodingContext,
): readonly ChatWireObject[] {
  const texts = parts.filter((part) => part.type === "text");
  return encodeSystem(texts, writing).map((message) => withoutUndefined({ ...message, name }));
}

function encodeUser(
  { role, parts, name }: NeutralMessage,
  writing: ChatRequestEncodingContext,
): readonly ChatWireObject[] {
  const content = encodeChatContent(parts.filter(isUserPart), writing);
  const isEmpty = Array.isArray(content) && content.length === 0;
  return [withoutUndefined({ role, content: isEmpty ? "" : content, name })];
}

const userParts: ReadonlySet<NeutralPart["type"]> = new Set([
  "text",
  "image",
  "file",
  "search-result",
  "opaque",
]);

/** Which parts a role may have is settled when they are read. */
function isUserPart(part: NeutralPart): part is ChatUserPart {
  return userParts.has(part.type);
}

function isResult(part: NeutralPart): part is ToolResultPart {
  return part.type === "tool-result";
}

/** In messages, a last word of the assistant is the beginning of the answer. */
function rejectPrefill({ request: turn, warnings: ledger }: ChatRequestEncodingContext): void {
  const last = turn.messages.findLast(({ role }) => role !== "system");
  if (turn.origin !== "dialect_messages" || last?.role !== "assistant") return;
  ledger.reject(
    "messages",
    "This upstream cannot go on with a begun answer. End with a user message.",
  );
}
