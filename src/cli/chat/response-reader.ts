import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { CliError } from "../cli-error.ts";
import { isProtobufJsonObject } from "../../contract/json/decode-json.ts";
import type { CliChatView } from "./response-view.ts";
import { readStringMemberOrEmpty } from "../read-string-member.ts";
import { errorObjectToCliError } from "./parse-error-body.ts";
import { formatToolCall, isToolCall, formatToolResultLine } from "./format-tool-call.ts";

/** Events that end a stream. */
const ends: ReadonlySet<string> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
  "response.cancelled",
]);

/** Reads the events of one answer, shows them, and knows in the end what it came to. */
export class CliResponseStreamRenderer {
  readonly #view: CliChatView;
  #text = "";
  #lastSequence = -1;
  /** Calls that were begun and not shown yet, by `output_index`. */
  readonly #calls = new Map<JsonValue | undefined, JsonObject>();
  /** The message or the reasoning part whose words came last. */
  #part = "";
  #response: JsonObject | undefined;
  #approvals: readonly JsonObject[] = [];

  constructor(view: CliChatView) {
    this.#view = view;
  }

  /** What was said, without reasoning. */
  get text(): string {
    return this.#text;
  }

  /** Number of the last event; -1: none came. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** The response as it ended; undefined: it has not. */
  get response(): JsonObject | undefined {
    return this.#response;
  }

  /** Requests to approve a call, which the answer ended with. */
  get approvals(): readonly JsonObject[] {
    return this.#approvals;
  }

  /** Throws a `CliError` where the event tells that the answer failed. */
  handleEvent(event: JsonObject): void {
    const { sequence_number: number } = event;
    if (typeof number === "number") this.#lastSequence = number;
    const type = readStringMemberOrEmpty(event, "type");
    if (type === "error") throw streamError(event);
    if (ends.has(type)) this.#end(event);
    else this.#show(type, event);
  }

  #show(type: string, event: JsonObject): void {
    switch (type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        return this.#showText(event);
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return this.#showReasoning(event);
      case "response.output_item.added":
        return this.#addItem(event);
      case "response.mcp_call_arguments.done":
      case "response.function_call_arguments.done":
        return this.#showCall(event["output_index"], {
          arguments: readStringMemberOrEmpty(event, "arguments"),
        });
      case "response.output_item.done":
        return this.#endItem(event);
    }
  }

  #showText(event: JsonObject): void {
    const words = readStringMemberOrEmpty(event, "delta");
    if (words === "") return;
    const isNext = this.#isNextPart(event, "content_index") && this.#text !== "";
    this.#showNote(isNext ? `\n\n${words}` : words);
  }

  #showNote(words: string): void {
    this.#text += words;
    this.#view.text(words);
  }

  #showReasoning(event: JsonObject): void {
    const words = readStringMemberOrEmpty(event, "delta");
    if (words === "") return;
    const wasThought = this.#part.startsWith("thought");
    const place = event["summary_index"] === undefined ? "content_index" : "summary_index";
    const isNext = this.#isNextPart(event, place, "thought") && wasThought;
    this.#view.reasoning(isNext ? `\n\n${words}` : words);
  }

  /** Parts stand apart. */
  #isNextPart(event: JsonObject, place: string, kind = "said"): boolean {
    const part = JSON.stringify([event["output_index"] ?? 0, event[place] ?? 0]);
    const isNext = this.#part !== `${kind}${part}`;
    this.#part = `${kind}${part}`;
    return isNext;
  }

  #addItem({ item, output_index: index }: JsonObject): void {
    if (isProtobufJsonObject(item) && isToolCall(item)) this.#calls.set(index, item);
  }

  #showCall(index: JsonValue | undefined, known: JsonObject): void {
    const call = this.#calls.get(index);
    if (call === undefined) return;
    this.#calls.delete(index);
    this.#view.tool(formatToolCall({ ...call, ...known }));
    this.#view.wait(readStringMemberOrEmpty(call, "name"));
  }

  #endItem({ item, output_index: index }: JsonObject): void {
    if (!isProtobufJsonObject(item)) return;
    const isCall = isToolCall(item);
    if (isCall) this.#showCall(index, item);
    const result =
      isCall || readStringMemberOrEmpty(item, "type").endsWith("_call_output")
        ? formatToolResultLine(item)
        : undefined;
    if (result !== undefined) this.#view.tool(result);
  }

  #end({ response }: JsonObject): void {
    const whole = isProtobufJsonObject(response) ? response : {};
    const { error, output } = whole;
    if (isProtobufJsonObject(error))
      throw errorObjectToCliError(error, readStringMemberOrEmpty(error, "message"), "failed");
    const items = Array.isArray(output) ? output.filter(isProtobufJsonObject) : [];
    this.#approvals = items.filter(
      (item) => readStringMemberOrEmpty(item, "type") === "mcp_approval_request",
    );
    if (this.#text === "") this.#flushPending(items);
    this.#response = whole;
  }

  /** An upstream may send the whole answer and no pieces. */
  #flushPending(items: readonly JsonObject[]): void {
    const texts = items.flatMap(textsOf).filter((text) => text !== "");
    if (texts.length > 0) this.#showNote(texts.join("\n\n"));
  }
}

function textsOf({ type, content }: JsonObject): string[] {
  if (type !== "message" || !Array.isArray(content)) return [];
  return content
    .filter(isProtobufJsonObject)
    .map(
      (part) => readStringMemberOrEmpty(part, "text") || readStringMemberOrEmpty(part, "refusal"),
    );
}

/** The error stands beside `type`, inside `error`, or both. */
function streamError(event: JsonObject): CliError {
  const error = isProtobufJsonObject(event["error"]) ? event["error"] : event;
  const message = readStringMemberOrEmpty(error, "message");
  return message === ""
    ? new CliError("The answer failed.")
    : errorObjectToCliError(error, message, "failed");
}
