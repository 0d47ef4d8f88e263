import { formatSystemReminder } from "../system-reminder.ts";
import type { NeutralPart, TextPart, NeutralMessage } from "../neutral-request.ts";
import {
  encodeMessagesPart,
  encodeMessagesTextBlock,
  unwrapMessagesSingleTextBlock,
} from "./encode-parts.ts";
import type { MessagesWireObject } from "./wire.ts";
import type { MessagesRequestEncodingContext } from "./encoding-context.ts";
import { appendAll } from "../../platform/append-all.ts";

/** The conversation on the wire. */
export interface EncodedMessages {
  readonly messages: readonly MessagesWireObject[];
  /** System messages of the middle that went to the front. */
  readonly hoisted: readonly TextPart[];
  /** The caller began the answer itself. */
  readonly isPrefilled: boolean;
}

interface Draft {
  readonly role: "user" | "assistant" | "system";
  readonly blocks: MessagesWireObject[];
}

/**
 * Writes the messages: consecutive ones of a role become one, empty ones go,
 * results of tools stand first. Refuses a conversation of which nothing is left.
 */
export function encodeMessages(writing: MessagesRequestEncodingContext): EncodedMessages {
  const drafts: Draft[] = [];
  const hoisted: TextPart[] = [];
  for (const message of writing.request.messages) {
    dropNames(writing, message);
    if (message.role === "system") addSystem(writing, drafts, hoisted, message);
    else add(drafts, roleOf(message), blocksOf(writing, message));
  }
  if (drafts.length === 0) rejectEmpty(writing);
  if (drafts[0]?.role === "assistant") beginWithUser(writing, drafts);
  const last = drafts.at(-1);
  const isPrefilled = isPrefill(writing, last);
  if (isPrefilled && last !== undefined) trimEnd(last);
  return { messages: drafts.map(serializeMessage), hoisted, isPrefilled };
}

/** A conversation begins with the user; the least that the vendor takes for a turn says nothing. */
function beginWithUser(
  { request: turn, warnings: ledger }: MessagesRequestEncodingContext,
  drafts: Draft[],
): void {
  if (turn.origin === "dialect_messages") return;
  ledger.approximate(turn.messages[0]?.path ?? "messages", "position");
  drafts.unshift({ role: "user", blocks: [{ type: "text", text: "." }] });
}

function serializeMessage({ role, blocks }: Draft): MessagesWireObject {
  return { role, content: unwrapMessagesSingleTextBlock(blocks) };
}

function roleOf({ role }: NeutralMessage): "user" | "assistant" {
  return role === "assistant" ? "assistant" : "user";
}

function add(drafts: Draft[], role: Draft["role"], blocks: MessagesWireObject[]): void {
  if (blocks.length === 0) return;
  const last = drafts.at(-1);
  if (last?.role === role) for (const block of blocks) last.blocks.push(block);
  else drafts.push({ role, blocks });
}

function dropNames(
  { warnings: ledger }: MessagesRequestEncodingContext,
  { path, name, phase }: NeutralMessage,
): void {
  if (name !== undefined) ledger.drop(`${path}.name`, "unsupported");
  if (phase !== undefined) ledger.drop(`${path}.phase`, "unsupported");
}

function blocksOf(
  writing: MessagesRequestEncodingContext,
  message: NeutralMessage,
): MessagesWireObject[] {
  const parts = message.role === "assistant" ? orderCalls(writing, message.parts) : message.parts;
  const blocks: MessagesWireObject[] = [];
  for (const part of parts) appendAll(blocks, encodeMessagesPart(writing, part));
  return blocks;
}

/** Calls must be the last of a message, except around thinking: text behind one goes before it. */
function orderCalls(
  writing: MessagesRequestEncodingContext,
  parts: readonly NeutralPart[],
): readonly NeutralPart[] {
  if (writing.request.origin === "dialect_messages") return parts;
  const firstCall = parts.findIndex((part) => part.type === "tool-call");
  if (firstCall === -1) return parts;
  const tail = parts.slice(firstCall);
  const late = tail.filter(isText);
  if (late.length === 0) return parts;
  for (const part of late) writing.warnings.approximate(part.path, "position");
  return [...parts.slice(0, firstCall), ...late, ...tail.filter((part) => !isText(part))];
}

function isText(part: NeutralPart): boolean {
  return part.type === "text" || part.type === "refusal";
}

/**
 * A system message in the middle: in place where the model knows it there and it
 * follows a turn of the user, else as a marked text of the user, or in front.
 */
function addSystem(
  writing: MessagesRequestEncodingContext,
  drafts: Draft[],
  hoisted: TextPart[],
  message: NeutralMessage,
): void {
  const texts = message.parts.filter((part): part is TextPart => part.type === "text");
  const { midConversationSystem: midSystem } = writing.capabilities;
  const follows = drafts.at(-1)?.role;
  if (midSystem === "native" && (follows === "user" || follows === "system")) {
    const blocks = texts.flatMap((part) => encodeMessagesTextBlock(writing, part));
    return add(drafts, "system", blocks);
  }
  writing.warnings.approximate(message.path, "position");
  if (midSystem === "hoist") for (const text of texts) hoisted.push(text);
  else add(drafts, "user", demote(writing, texts));
}

function demote(
  writing: MessagesRequestEncodingContext,
  texts: readonly TextPart[],
): MessagesWireObject[] {
  return texts
    .filter(({ text }) => text.trim() !== "")
    .flatMap((part) =>
      encodeMessagesTextBlock(writing, {
        ...part,
        text: formatSystemReminder(part.text),
      }),
    );
}

/**
 * Whether the upstream is to go on with words of the caller's. Its own blocks
 * stand at the end, too, when it paused; those stay as they are.
 */
function isPrefill(
  { request: turn }: MessagesRequestEncodingContext,
  last: Draft | undefined,
): boolean {
  if (last?.role !== "assistant") return false;
  return turn.messages.at(-1)?.parts.some(({ type }) => type !== "opaque") ?? false;
}

/** An answer that the caller began may not end in white space. */
function trimEnd({ blocks }: Draft): void {
  const last = blocks.at(-1);
  if (typeof last?.["text"] === "string") last["text"] = last["text"].trimEnd();
}

function rejectEmpty({ request: turn, warnings: ledger }: MessagesRequestEncodingContext): never {
  const path = turn.origin === "dialect_responses" ? "input" : "messages";
  return ledger.reject(path, "This upstream needs a message of the user or the assistant.");
}
