import { asObject, type JsonObject } from "../../dialect/json.ts";
import { mergeUsage, type Usage } from "../../dialect/usage.ts";
import type { DialectId } from "../../platform/configuration/configuration.ts";
import { JsonPicker } from "../../platform/json-stream/json-picker.ts";
import type { JsonProjection } from "../../platform/json-stream/json-shape.ts";
import { SseEventReader } from "../../platform/sse/event-reader.ts";
import type { StreamEvent } from "../../platform/sse/stream-event.ts";
import { decodeUsageObject, type UsageFormat } from "../call/extract-usage.ts";
import type { PeakMemoryReserver } from "../call/hold-peak.ts";
import { estimateTextTokens } from "../call/text-length.ts";

/** The largest event that is read. */
const maxEventBytes = 16 * 1024 * 1024;

/** Longest usage object, and longest text of one event. */
const maxPickedBytes = 4 * 1024 * 1024;

/**
 * Reads the usage of an answer that is passed on and paid from credits: the member that the
 * dialect defines, wherever it stands, and no member of the same name elsewhere.
 */
export interface ExactUsageReader {
  push(chunk: Buffer): void;
  finish(): void;
  /** What the answer said so far; undefined: nothing. */
  readonly usage: Usage | undefined;
  /** Estimated tokens of the text so far; 0 for a body that is no stream. */
  readonly textTokens: number;
}

const usageShape: JsonProjection = { members: { usage: "whole" } };

/** Reads the usage of a JSON body. */
export class BodyUsageReader implements ExactUsageReader {
  readonly textTokens = 0;
  readonly #format: UsageFormat;
  #picker: JsonPicker | undefined = new JsonPicker(usageShape, maxPickedBytes);

  constructor(format: UsageFormat) {
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
  get usage(): Usage | undefined {
    if (this.#picker === undefined) return undefined;
    return decodeUsageObject(this.#format, pickedObject(this.#picker)["usage"]);
  }

  finish(): void {}
}

/** Where the events of each dialect hold usage and pieces of text. */
const eventShapes: Readonly<Record<DialectId, JsonProjection>> = {
  dialect_chat: {
    members: { usage: "whole", choices: { each: { members: { delta: "whole" } } } },
  },
  dialect_messages: {
    members: { usage: "whole", message: usageShape, delta: "whole" },
  },
  dialect_responses: { members: { response: usageShape, delta: "whole" } },
};

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

/** Reads the usage in the events of a stream, a later one over an earlier one. */
export class StreamUsageReader implements ExactUsageReader {
  readonly #dialect: DialectId;
  #events: SseEventReader | undefined;
  #usage: Usage | undefined;
  #textTokens = 0;

  /** `hold` throws if the account of the call may not hold so much. */
  constructor(dialect: DialectId, hold: PeakMemoryReserver) {
    this.#dialect = dialect;
    this.#events = new SseEventReader(maxEventBytes, hold);
  }

  push(chunk: Buffer): void {
    this.#take((events) => events.push(chunk));
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  get textTokens(): number {
    return this.#textTokens;
  }

  /** Takes an event that the end of the stream has left open. */
  finish(): void {
    this.#take((events) => events.finish());
  }

  /** Reads nothing more from the first event that is too large, not text, or more than may be held. */
  #take(read: (events: SseEventReader) => readonly StreamEvent[]): void {
    if (this.#events === undefined) return;
    try {
      for (const { data } of read(this.#events)) this.#takeEvent(data);
    } catch {
      this.#events = undefined;
    }
  }

  #takeEvent(data: string): void {
    if (!data.includes('"usage"') && !data.includes('"delta"')) return;
    const { usage, message, response, delta, choices } = pick(data, eventShapes[this.#dialect]);
    const holder = asObject(message) ?? asObject(response) ?? { usage };
    const told = decodeUsageObject(this.#dialect, holder["usage"]);
    if (told !== undefined) this.#usage = mergeUsage(this.#usage, told);
    this.#textTokens += estimateTextTokens(textLength(delta) + textLength(choices));
  }
}

function pick(data: string, shape: JsonProjection): JsonObject {
  const picker = new JsonPicker(shape, maxPickedBytes);
  try {
    picker.push(Buffer.from(data));
  } catch {
    return {};
  }
  return pickedObject(picker);
}

/** Empty: the document is cut off or no object. */
function pickedObject(picker: JsonPicker): JsonObject {
  try {
    return asObject(picker.end()) ?? {};
  } catch {
    return {};
  }
}

/** Code units of what the model has written, in a piece or in a list of choices with pieces. */
function textLength(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + textLength(one), 0);
  return Object.entries(asObject(value) ?? {})
    .filter(([name]) => textMembers.has(name))
    .reduce((sum, [, member]) => sum + textLength(member), 0);
}
