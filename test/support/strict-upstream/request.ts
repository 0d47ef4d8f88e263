import { asObject, type JsonObject } from "../../../src/dialect/json.ts";

/** What a request asks of a model, in no dialect. */
export interface StrictRequest {
  /** The last words of the user; reminders that clients put in are left out. */
  readonly prompt: string;
  /** What the user and the tools said before it. */
  readonly before: string;
  /** What the system and the developer say. */
  readonly orders: string;
  /** Answers that were given to it so far, by calling tools. */
  readonly round: number;
  /** What the tools of the last round said. */
  readonly results: readonly string[];
  readonly hasImage: boolean;
  readonly tools: readonly OfferedTool[];
  /** `auto`, `none`, `required`, or the name of the tool that must be called. */
  readonly choice: string;
  /** Schema of the answer; undefined: it may be any text. */
  readonly schema: JsonObject | undefined;
  /** Tokens; here a token is a word. */
  readonly cap: number;
  readonly stops: readonly string[];
  readonly thinks: boolean;
}

export interface OfferedTool {
  readonly name: string;
  readonly namespace?: string | undefined;
  /** `custom` takes free text, `search` finds further tools for the model. */
  readonly kind: "function" | "custom" | "search";
  readonly schema: JsonObject;
}

/** What the double answers, in no dialect. */
export interface StrictReply {
  /** Tokens of the prompt that it knew from an earlier one. */
  readonly cached: number;
  readonly thought: string | undefined;
  readonly text: string;
  readonly calls: readonly Call[];
  readonly end: "end" | "calls" | "length" | "stop";
  /** The sequence that ended it. */
  readonly stop: string | undefined;
}

export interface Call {
  readonly tool: OfferedTool;
  /** JSON text, or the free text of a custom tool. */
  readonly input: string;
}

/** A turn of the user or the assistant, as far as the double reads it. */
export interface StrictOutput {
  readonly role: "user" | "assistant" | "result" | "system";
  readonly text: string;
  readonly hasImage?: boolean;
}

const reminders = /<system-reminder>[^]*?<\/system-reminder>/g;

/**
 * The prompt that is to be answered, and what came of it so far. `instructions` stand
 * outside of what was said.
 */
export function conversation(
  said: readonly StrictOutput[],
  instructions = "",
): Pick<StrictRequest, "prompt" | "before" | "orders" | "round" | "results" | "hasImage"> {
  const words = said.map((one) => ({ ...one, text: one.text.replaceAll(reminders, "").trim() }));
  const at = words.findLastIndex(({ role, text }) => role === "user" && isPrompt(text));
  const since = words.slice(at + 1);
  const last = since.findLastIndex(({ role }) => role === "assistant");
  return {
    prompt: words[at]?.text ?? "",
    before: textsOf(words.slice(0, Math.max(at, 0)), ["user", "result"]),
    orders: [instructions, textsOf(words, ["system"])].join("\n").trim(),
    round: since.filter(
      ({ role }, place) => role === "assistant" && since[place - 1]?.role !== role,
    ).length,
    results: since.slice(last + 1).flatMap(({ role, text }) => (role === "result" ? [text] : [])),
    hasImage: words[at]?.hasImage === true,
  };
}

function textsOf(said: readonly StrictOutput[], roles: readonly StrictOutput["role"][]): string {
  return said.flatMap(({ role, text }) => (roles.includes(role) ? [text] : [])).join("\n");
}

/**
 * Pictures of a result follow it as a turn of the user where results hold text only, and
 * smolagents tells results in words, with its next task behind them.
 */
function isPrompt(text: string): boolean {
  return text !== "" && !/^(?:attachment of|Observation:(?![^]*New task:))/.test(text);
}

/** A text in pieces, as a stream brings it. */
export function piecesOf(text: string): readonly string[] {
  return text.match(/[^]{1,12}/g) ?? [];
}

/** Tokens of a text, a word each. */
export function wordCount(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}

const labels = new Set(["role", "type"]);

/** The words of all texts in a part of a request, so that a picture has some, too. */
export function wordsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return value.split(/\s+/).filter(Boolean);
  if (Array.isArray(value)) return value.flatMap(wordsIn);
  const said = Object.entries(asObject(value) ?? {}).filter(([name]) => !labels.has(name));
  return said.flatMap(([, member]) => wordsIn(member));
}

/** Tokens of an answer; a call is one. */
export function outputTokens({ thought = "", text, calls }: StrictReply): number {
  return Math.max(1, wordCount(thought) + wordCount(text) + calls.length);
}

/** A text of no more than so many tokens. */
export function firstWords(text: string, most: number): string {
  return wordCount(text) <= most ? text : text.split(" ").slice(0, most).join(" ");
}
