import { invalidRequestError } from "../../platform/errors.ts";
import { RequestFieldReader } from "../body-reader.ts";
import type { RequestDecodingContext } from "../codec.ts";
import type { JsonObject } from "../json.ts";
import type {
  NeutralPart,
  TextPart,
  NeutralTool,
  NeutralRequest,
  NeutralMessage,
} from "../neutral-request.ts";
import { type ResponsesDecodedInputItem, decodeResponsesInputItem } from "./decode-items.ts";
import { storedItemNotFoundError, previousResponseNotFoundError } from "./missing-stored.ts";

interface Conversation extends Pick<NeutralRequest, "system" | "messages"> {
  /** Tools that items of it brought along. */
  readonly addedTools: readonly NeutralTool[];
}

/**
 * The conversation of a request: the kept turns that `previous_response_id`
 * continues, then `input`. System items that open it are system text.
 */
export function decodeResponsesConversation(
  body: RequestFieldReader,
  context: RequestDecodingContext,
): Conversation {
  const items = [...previousItems(body, context), ...inputItems(body, context)];
  const first = items.findIndex(({ role }) => role !== "system");
  const opening = first === -1 ? items.length : first;
  const instructions = body.string("instructions");
  const own: readonly TextPart[] =
    instructions === undefined ? [] : [{ type: "text", path: "instructions", text: instructions }];
  return {
    system: [...own, ...items.slice(0, opening).flatMap(systemTexts)],
    messages: join(items.slice(opening)),
    addedTools: items.flatMap(({ tools = [] }) => tools),
  };
}

/**
 * Kept items in front of the input. Whatever is wrong in them is told of the
 * field that named them, since the caller did not send them now.
 */
function previousItems(
  body: RequestFieldReader,
  context: RequestDecodingContext,
): readonly ResponsesDecodedInputItem[] {
  const path = "previous_response_id";
  const id = body.string(path);
  if (id === undefined) return [];
  const kept = context.stored?.previous;
  if (kept === undefined) throw previousResponseNotFoundError(id);
  return kept.map((item) =>
    relocate(decodeResponsesInputItem(new StoredItemReader(item, path), context), path),
  );
}

/** Every member of a kept item stands where the field is that brought it in. */
class StoredItemReader extends RequestFieldReader {
  override pathOf(): string {
    return this.path;
  }
}

function inputItems(
  body: RequestFieldReader,
  context: RequestDecodingContext,
): readonly ResponsesDecodedInputItem[] {
  const { input, previous_response_id: previous } = body.value;
  if ((input ?? undefined) === undefined && typeof previous === "string") return [];
  if (typeof input === "string") return [userText(input)];
  if (!Array.isArray(input)) {
    throw invalidRequestError("input", "`input` must be a string or an array of items.");
  }
  return body
    .objects("input")
    .map((item) => decodeResponsesInputItem(resolve(item, context), context));
}

function userText(text: string): ResponsesDecodedInputItem {
  const part: TextPart = { type: "text", path: "input", text };
  return { path: "input", role: "user", parts: [part], isMessage: true };
}

/** The item itself, or the kept one that it refers to; a reference may leave its type out. */
function resolve(
  item: RequestFieldReader,
  { stored: kept }: RequestDecodingContext,
): RequestFieldReader {
  const type = item.string("type");
  const isReference = type === "item_reference" || (type === undefined && !item.has("role"));
  if (!isReference || (type === undefined && !item.has("id"))) return item;
  const id = item.requiredString("id");
  const found = kept?.find(id);
  if (found === undefined) throw storedItemNotFoundError(item.path, id);
  return new RequestFieldReader(found, item.path);
}

function systemTexts({ parts }: ResponsesDecodedInputItem): readonly TextPart[] {
  return parts.map((part) =>
    part.type === "text"
      ? part
      : rejectSystem(part.type === "opaque" ? part.path : `${part.path}.type`),
  );
}

function rejectSystem(path: string): never {
  throw invalidRequestError(path, "System and developer messages hold text only.");
}

interface Draft extends NeutralMessage {
  path: string;
  readonly parts: NeutralPart[];
  phase: string | undefined;
  /** What its parts hold; they are many, and each item asks. */
  hasText: boolean;
  hasCalls: boolean;
}

/**
 * Items as messages: calls, what was thought before them and the text of the same
 * answer are one assistant message, neighbouring outputs one tool message.
 */
function join(items: readonly ResponsesDecodedInputItem[]): readonly NeutralMessage[] {
  const messages: Draft[] = [];
  for (const item of items) {
    if (item.role === "system") systemTexts(item);
    const last = messages.at(-1);
    if (item.parts.length === 0 && !item.isMessage) continue;
    if (last !== undefined && isContinued(last, item)) addTo(last, item);
    else messages.push(newMessage(item));
  }
  return messages.map(({ path, role, parts, phase }) => ({ path, role, parts, phase }));
}

/** The place of an answer is that of its message, not of the thoughts before it. */
function addTo(last: Draft, item: ResponsesDecodedInputItem): void {
  // Not spread: arguments of a call are few.
  for (const part of item.parts) last.parts.push(part);
  last.hasText ||= item.parts.some(isText);
  last.hasCalls ||= item.parts.some(isCall);
  if (!item.isMessage) return;
  last.path = item.path;
  last.phase ??= item.phase;
}

function newMessage({ path, role, parts, phase }: ResponsesDecodedInputItem): Draft {
  const [hasText, hasCalls] = [parts.some(isText), parts.some(isCall)];
  return { path, role, parts: [...parts], phase, hasText, hasCalls };
}

function isText({ type }: NeutralPart): boolean {
  return type === "text" || type === "refusal";
}

function isCall({ type }: NeutralPart): boolean {
  return type === "tool-call";
}

/** A second text is a second answer, unless calls of the first still wait for their outputs. */
function isContinued(last: Draft, item: ResponsesDecodedInputItem): boolean {
  if (last.role !== item.role) return false;
  if (item.role === "tool") return true;
  if (item.role !== "assistant") return false;
  return !item.isMessage || !last.hasText || last.hasCalls;
}

function relocate(item: ResponsesDecodedInputItem, path: string): ResponsesDecodedInputItem {
  const { parts, tools = [] } = item;
  return {
    ...item,
    path,
    parts: parts.map((part) => relocatedPart(part, path)),
    tools: tools.map((tool) => ({ ...tool, path })),
  };
}

function relocatedPart(part: NeutralPart, path: string): NeutralPart {
  if (part.type !== "tool-result") return { ...part, path, ...inner(part, path) };
  const content = part.content.map((inside) => ({ ...inside, path, ...inner(inside, path) }));
  return { ...part, path, content };
}

/** The finer places that some parts know. */
function inner(part: NeutralPart, path: string): JsonObject {
  if ("sourcePath" in part) return { sourcePath: path };
  return "argumentsPath" in part ? { argumentsPath: path } : {};
}
