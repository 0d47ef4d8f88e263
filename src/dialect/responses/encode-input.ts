import { withoutUndefined } from "../json.ts";
import type {
  NeutralPart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  NeutralMessage,
} from "../neutral-request.ts";
import {
  encodeResponsesInputPart,
  buildResponsesInputTextPart,
  encodeResponsesOutputText,
} from "./encode-content.ts";
import { buildResponsesToolSearchCall } from "./output-items.ts";
import type { ResponsesWireObject } from "./wire.ts";
import {
  omitCacheBreakpoint,
  wasSingleStringContent,
  type ResponsesRequestEncodingContext,
} from "./encoding-context.ts";
import { appendAll } from "../../platform/append-all.ts";

/** System text and conversation of a request. */
export interface EncodedResponsesInput {
  readonly instructions: string | undefined;
  readonly input: string | readonly ResponsesWireObject[];
}

/** Throws 400 for a conversation that ends with words put into the model's mouth: it would not go on from them. */
export function encodeResponsesInput(
  writing: ResponsesRequestEncodingContext,
): EncodedResponsesInput {
  const { request: turn, warnings: ledger } = writing;
  if (turn.origin === "dialect_messages" && turn.messages.at(-1)?.role === "assistant") {
    ledger.reject("messages", "This upstream cannot continue the last message of the assistant.");
  }
  const { instructions, items } = encodeSystem(writing);
  const rest = turn.messages.flatMap((message) => encodeMessage(message, writing));
  const [only] = turn.messages;
  const isText = items.length === 0 && turn.messages.length === 1 && only !== undefined;
  const text = isText ? textInput(only) : undefined;
  return { instructions, input: text ?? [...items, ...rest] };
}

/** The `input` of this dialect that was one string. */
function textInput({ parts, path }: NeutralMessage): string | undefined {
  const [part] = parts;
  return path === "input" && parts.length === 1 && part?.type === "text" ? part.text : undefined;
}

/** In this dialect `instructions` and developer items are two things; others know one kind. */
function encodeSystem({ request: turn, warnings: ledger }: ResponsesRequestEncodingContext) {
  const isOwn = (part: TextPart) =>
    turn.origin !== "dialect_responses" || part.path === "instructions";
  for (const { cache } of turn.system) omitCacheBreakpoint(cache, ledger);
  const own = turn.system.filter(isOwn).map(({ text }) => text);
  const items = turn.system
    .filter((part) => !isOwn(part))
    .map((part) => message("developer", [part], [buildResponsesInputTextPart(part.text)]));
  return { instructions: own.length === 0 ? undefined : own.join("\n\n"), items };
}

function encodeMessage(
  turnMessage: NeutralMessage,
  writing: ResponsesRequestEncodingContext,
): readonly ResponsesWireObject[] {
  const { role, parts, name, path } = turnMessage;
  if (name !== undefined) writing.warnings.drop(`${path}.name`, "unsupported");
  switch (role) {
    case "system":
      return [message("developer", parts, encodeParts(parts, writing))];
    case "user":
      return encodeUser(parts, writing);
    case "assistant":
      return encodeAssistant(turnMessage, writing);
    case "tool":
      return parts.flatMap((part) =>
        part.type === "tool-result" ? encodeResult(part, writing) : [],
      );
  }
}

function encodeParts(
  parts: readonly NeutralPart[],
  writing: ResponsesRequestEncodingContext,
): readonly ResponsesWireObject[] {
  return parts.flatMap((part) => encodeResponsesInputPart(part, writing));
}

/** Items that only the vendor knows stand by themselves. */
function encodeUser(
  parts: readonly NeutralPart[],
  writing: ResponsesRequestEncodingContext,
): readonly ResponsesWireObject[] {
  const [first] = parts;
  if (first?.type === "opaque" && isItem(first)) return encodeParts(parts, writing);
  return [message("user", parts, encodeParts(parts, writing))];
}

function isItem({ path }: NeutralPart): boolean {
  return !path.includes(".content");
}

/** A string stays a string. */
function message(
  role: string,
  parts: readonly NeutralPart[],
  content: readonly ResponsesWireObject[],
): ResponsesWireObject {
  const [part] = parts;
  const [only] = content;
  const isString =
    content.length === 1 &&
    only?.["type"] === "input_text" &&
    Object.keys(only).length === 2 &&
    part !== undefined &&
    wasSingleStringContent(part);
  return { type: "message", role, content: isString ? only["text"] : content };
}

/** Runs of text are messages; calls and thoughts are items of their own, in order. */
function encodeAssistant(
  { parts, phase }: NeutralMessage,
  writing: ResponsesRequestEncodingContext,
): readonly ResponsesWireObject[] {
  const items: ResponsesWireObject[] = [];
  let content: ResponsesWireObject[] | undefined;
  for (const part of parts) {
    omitCacheBreakpoint(part.cache, writing.warnings);
    if (part.type === "text" || part.type === "refusal") {
      const written = encodeSaid(part, writing);
      if (content === undefined) items.push(assistantText((content = [written]), phase));
      else content.push(written);
    } else {
      content = undefined;
      appendAll(items, encodeItem(part, writing));
    }
  }
  return items;
}

function assistantText(
  content: ResponsesWireObject[],
  phase: string | undefined,
): ResponsesWireObject {
  return withoutUndefined({
    type: "message",
    role: "assistant",
    status: "completed",
    content,
    phase,
  });
}

function encodeSaid(
  part: Extract<NeutralPart, { type: "text" | "refusal" }>,
  writing: ResponsesRequestEncodingContext,
): ResponsesWireObject {
  return part.type === "refusal"
    ? { type: "refusal", refusal: part.text }
    : encodeResponsesOutputText(part, writing);
}

function encodeItem(
  part: NeutralPart,
  writing: ResponsesRequestEncodingContext,
): readonly ResponsesWireObject[] {
  switch (part.type) {
    case "tool-call":
      return [encodeCall(part, writing)];
    case "reasoning":
      return encodeReasoning(part, writing);
    case "opaque":
      return encodeResponsesInputPart(part, writing);
    default:
      return writing.warnings.reject(
        part.path,
        "The assistant's messages hold text and calls only.",
      );
  }
}

function encodeCall(
  call: ToolCallPart,
  { names }: ResponsesRequestEncodingContext,
): ResponsesWireObject {
  const { kind, id: call_id, namespace } = call;
  if (kind === "search") return buildResponsesToolSearchCall(call_id, call.arguments, "completed");
  const name = namespace === undefined ? names.of(call.name, undefined) : call.name;
  const said =
    kind === "custom"
      ? { input: call.arguments }
      : { arguments: call.arguments === "" ? "{}" : call.arguments };
  const type = kind === "custom" ? "custom_tool_call" : "function_call";
  return withoutUndefined({ type, call_id, name, namespace, ...said, status: "completed" });
}

/** Thoughts go back to the vendor that sealed them, and to nobody else. */
function encodeReasoning(
  part: ReasoningPart,
  { warnings: ledger }: ResponsesRequestEncodingContext,
): readonly ResponsesWireObject[] {
  const { encrypted: seal, texts } = part;
  if (seal?.dialect !== "dialect_responses") {
    ledger.drop(part.path, "foreign");
    return [];
  }
  const summary = texts.map((text) => ({ type: "summary_text", text }));
  const { id, encryptedContent } = seal;
  return [{ type: "reasoning", id, summary, encrypted_content: encryptedContent }];
}

const errorMark = "[tool_error] ";

/** The only dialect beside messages whose results may carry images and files. */
function encodeResult(
  result: ToolResultPart,
  writing: ResponsesRequestEncodingContext,
): readonly ResponsesWireObject[] {
  omitCacheBreakpoint(result.cache, writing.warnings);
  if (result.kind === "search") return encodeParts(result.content, writing);
  if (result.isError) writing.warnings.approximate(`${result.path}.is_error`, "wrapped");
  const type = result.kind === "custom" ? "custom_tool_call_output" : "function_call_output";
  const output = result.isError ? mark(resultOf(result, writing)) : resultOf(result, writing);
  return [{ type, call_id: result.callId, output }];
}

function resultOf(
  { content }: ToolResultPart,
  writing: ResponsesRequestEncodingContext,
): string | readonly ResponsesWireObject[] {
  const [only] = content;
  if (only === undefined) return "";
  if (content.length === 1 && only.type === "text" && wasSingleStringContent(only)) {
    omitCacheBreakpoint(only.cache, writing.warnings);
    return only.text;
  }
  return encodeParts(content, writing);
}

/** The output has no flag for errors: its text says so. */
function mark(
  output: string | readonly ResponsesWireObject[],
): string | readonly ResponsesWireObject[] {
  if (typeof output === "string") return `${errorMark}${output}`;
  return [buildResponsesInputTextPart(errorMark.trimEnd()), ...output];
}
