import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { CallError } from "../call-error.ts";
import { isJsonObject } from "../../contract/json/decode-json.ts";
import type { AnswerView } from "./answer-view.ts";
import { textIn } from "../text-in.ts";
import { callErrorOf } from "./refusal-in.ts";
import { callLine, isToolCall, resultLine } from "./tool-lines.ts";

/** Events that end a stream. */
const ends: ReadonlySet<string> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
  "response.cancelled",
]);

/** Reads the events of one answer, shows them, and knows in the end what it came to. */
export class TurnReader {
  readonly #view: AnswerView;
  #text = "";
  #lastSequence = -1;
  /** Calls that were begun and not shown yet, by `output_index`. */
  readonly #calls = new Map<JsonValue | undefined, JsonObject>();
  /** The message or the reasoning part whose words came last. */
  #part = "";
  #response: JsonObject | undefined;
  #approvals: readonly JsonObject[] = [];

  constructor(view: AnswerView) {
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

  /** Throws a `CallError` where the event tells that the answer failed. */
  take(event: JsonObject): void {
    const { sequence_number: number } = event;
    if (typeof number === "number") this.#lastSequence = number;
    const type = textIn(event, "type");
    if (type === "error") throw streamError(event);
    if (ends.has(type)) this.#end(event);
    else this.#show(type, event);
  }

  #show(type: string, event: JsonObject): void {
    switch (type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        return this.#say(event);
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return this.#think(event);
      case "response.output_item.added":
        return this.#addItem(event);
      case "response.mcp_call_arguments.done":
      case "response.function_call_arguments.done":
        return this.#showCall(event["output_index"], { arguments: textIn(event, "arguments") });
      case "response.output_item.done":
        return this.#endItem(event);
    }
  }

  #say(event: JsonObject): void {
    const words = textIn(event, "delta");
    if (words === "") return;
    const isNext = this.#isNextPart(event, "content_index") && this.#text !== "";
    this.#tell(isNext ? `\n\n${words}` : words);
  }

  #tell(words: string): void {
    this.#text += words;
    this.#view.text(words);
  }

  #think(event: JsonObject): void {
    const words = textIn(event, "delta");
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
    if (isJsonObject(item) && isToolCall(item)) this.#calls.set(index, item);
  }

  #showCall(index: JsonValue | undefined, known: JsonObject): void {
    const call = this.#calls.get(index);
    if (call === undefined) return;
    this.#calls.delete(index);
    this.#view.tool(callLine({ ...call, ...known }));
    this.#view.wait(textIn(call, "name"));
  }

  #endItem({ item, output_index: index }: JsonObject): void {
    if (!isJsonObject(item)) return;
    const isCall = isToolCall(item);
    if (isCall) this.#showCall(index, item);
    const result =
      isCall || textIn(item, "type").endsWith("_call_output") ? resultLine(item) : undefined;
    if (result !== undefined) this.#view.tool(result);
  }

  #end({ response }: JsonObject): void {
    const whole = isJsonObject(response) ? response : {};
    const { error, output } = whole;
    if (isJsonObject(error)) throw callErrorOf(error, textIn(error, "message"), "failed");
    const items = Array.isArray(output) ? output.filter(isJsonObject) : [];
    this.#approvals = items.filter((item) => textIn(item, "type") === "mcp_approval_request");
    if (this.#text === "") this.#tellUntold(items);
    this.#response = whole;
  }

  /** An upstream may send the whole answer and no pieces. */
  #tellUntold(items: readonly JsonObject[]): void {
    const texts = items.flatMap(textsOf).filter((text) => text !== "");
    if (texts.length > 0) this.#tell(texts.join("\n\n"));
  }
}

function textsOf({ type, content }: JsonObject): string[] {
  if (type !== "message" || !Array.isArray(content)) return [];
  return content
    .filter(isJsonObject)
    .map((part) => textIn(part, "text") || textIn(part, "refusal"));
}

/** The error stands beside `type`, inside `error`, or both. */
function streamError(event: JsonObject): CallError {
  const error = isJsonObject(event["error"]) ? event["error"] : event;
  const message = textIn(error, "message");
  return message === ""
    ? new CallError("The answer failed.")
    : callErrorOf(error, message, "failed");
}
