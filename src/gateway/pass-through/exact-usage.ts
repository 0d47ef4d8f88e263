import { asObject, type JsonObject } from "../../dialect/json.ts";
import { mergeTokenUsage, type TokenUsage } from "../../dialect/usage.ts";
import type { DialectId } from "../../platform/configuration/configuration.ts";
import { JsonPicker } from "../../platform/json-stream/json-picker.ts";
import type { JsonProjection } from "../../platform/json-stream/json-shape.ts";
import { StreamingSseDataReader } from "../../platform/sse/data-pieces.ts";
import { decodeTokenUsageObject, type TokenUsageFormat } from "../call/extract-usage.ts";
import { estimateTextTokens } from "../call/text-length.ts";

/** Longest usage object of a body. */
const maxBodyUsageBytes = 4 * 1024 * 1024;

/** Longest usage object of an event. It counts to no account, so it is short. */
const maxEventUsageBytes = 64 * 1024;

/**
 * Reads the usage of an answer that is passed on and paid from credits: the member that the
 * dialect defines, wherever it stands, and no member of the same name elsewhere.
 */
export interface ExactUsageReader {
  push(chunk: Buffer): void;
  finish(): void;
  /** What the answer said so far; undefined: nothing. */
  readonly usage: TokenUsage | undefined;
  /** Estimated tokens of the text so far; 0 for a body that is no stream. */
  readonly textTokens: number;
}

const usageShape: JsonProjection = { members: { usage: "whole" } };

/** Reads the usage of a JSON body. */
export class BodyUsageReader implements ExactUsageReader {
  readonly textTokens = 0;
  readonly #format: TokenUsageFormat;
  #picker: JsonPicker | undefined = new JsonPicker(usageShape, maxBodyUsageBytes);

  constructor(format: TokenUsageFormat) {
    this.#format = format;
  }

  push(chunk: Buffer): void {
    try {
      this.#picker?.push(chunk);
    } catch {
      this.#picker = undefined;
    }
  }

  /** Undefined until the body is whole. */
  get usage(): TokenUsage | undefined {
    if (this.#picker === undefined) return undefined;
    return decodeTokenUsageObject(this.#format, pickedObject(this.#picker)?.["usage"]);
  }

  finish(): void {}
}

/** Members of a piece that hold what the model has written. */
const textMembers: ReadonlySet<string> = new Set([
  "delta",
  "content",
  "text",
  "thinking",
  "reasoning",
  "reasoning_content",
  "refusal",
  "tool_calls",
  "function",
  "arguments",
  "partial_json",
]);

const textShape: JsonProjection = { measures: textMembers };

/** The members of events, by dialect, that hold usage and pieces of text. */
const eventShapes: Readonly<Record<DialectId, JsonProjection>> = {
  dialect_chat: { members: { usage: "whole", choices: textShape } },
  dialect_messages: { members: { usage: "whole", message: usageShape, delta: textShape } },
  dialect_responses: { members: { response: usageShape, delta: textShape } },
};

/**
 * Reads the usage in the events of a stream, a later one over an earlier one. Of an event it
 * holds its usage object and nothing else, so an event of any size is read.
 */
export class StreamUsageReader implements ExactUsageReader {
  readonly #dialect: DialectId;
  readonly #pieces = new StreamingSseDataReader({
    onData: (piece) => this.#takePiece(piece),
    onEnd: () => this.#endEvent(),
  });
  /** Undefined between two events. */
  #picker: JsonPicker | undefined;
  /** The event is no JSON: the rest of it is passed over. */
  #skipsEvent = false;
  #usage: TokenUsage | undefined;
  #textLength = 0;

  constructor(dialect: DialectId) {
    this.#dialect = dialect;
  }

  push(chunk: Buffer): void {
    this.#pieces.push(chunk);
  }

  get usage(): TokenUsage | undefined {
    return this.#usage;
  }

  get textTokens(): number {
    return estimateTextTokens(this.#textLength);
  }

  /** Takes an event that the end of the stream has left open. */
  finish(): void {
    this.#pieces.finish();
  }

  #takePiece(piece: Buffer): void {
    if (this.#skipsEvent) return;
    try {
      this.#picker ??= new JsonPicker(eventShapes[this.#dialect], maxEventUsageBytes);
      this.#picker.push(piece);
    } catch {
      this.#skipsEvent = true;
    }
  }

  #endEvent(): void {
    if (this.#picker !== undefined && !this.#skipsEvent) this.#readEvent(this.#picker);
    this.#picker = undefined;
    this.#skipsEvent = false;
  }

  #readEvent(picker: JsonPicker): void {
    const event = pickedObject(picker);
    const { usage, message, response } = event ?? {};
    const holder = asObject(message) ?? asObject(response) ?? { usage };
    const told = decodeTokenUsageObject(this.#dialect, holder["usage"]);
    if (told !== undefined) this.#usage = mergeTokenUsage(this.#usage, told);
    if (event !== undefined) this.#textLength += picker.measuredLength;
  }
}

/** Returns undefined for a document that is cut off or is no object. */
function pickedObject(picker: JsonPicker): JsonObject | undefined {
  try {
    return asObject(picker.end());
  } catch {
    return undefined;
  }
}
