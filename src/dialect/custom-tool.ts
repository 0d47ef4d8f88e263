import { recordToMap } from "../platform/lookup-table.ts";
import { asObject, asString, type JsonObject } from "./json.ts";
import { hasTooManyUpstreamJsonValues } from "./value-limit.ts";
import type { CustomTool } from "./neutral-request.ts";

/**
 * A tool that takes free text, for an upstream that knows JSON arguments only:
 * the text becomes the one field `input`, and comes out of it again.
 */
export const customToolInputSchema: JsonObject = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
};

/** Arguments of a call with this text. */
export function serializeCustomToolInput(text: string): string {
  return JSON.stringify({ input: text });
}

/** The description, and the grammar that the upstream cannot enforce. */
export function formatCustomToolDescription({
  description,
  format,
}: CustomTool): string | undefined {
  const grammar = grammarOf(format);
  if (grammar === undefined) return description;
  const rule = `The input follows this ${grammar.syntax ?? ""} grammar:`.replace("  ", " ");
  return [description, `${rule}\n${grammar.definition}`].filter(Boolean).join("\n\n");
}

interface Grammar {
  readonly definition: string;
  readonly syntax: string | undefined;
}

/** Nested in chat, flat in responses. */
function grammarOf(format: unknown): Grammar | undefined {
  const outer = asObject(format);
  const grammar = asObject(outer?.["grammar"]) ?? outer;
  const definition = asString(grammar?.["definition"]);
  return definition === undefined
    ? undefined
    : { definition, syntax: asString(grammar?.["syntax"]) };
}

const halfEscape = /^\\(?:u[0-9a-fA-F]{0,4})?$/;
const opening = /^\s*\{\s*"input"\s*:\s*"/;

/** In so many characters the opening has come, or the arguments are read at their end. */
const maxOpeningLength = 4096;

/**
 * Reads the text of `{"input":"…"}` as it comes in pieces. Arguments of another
 * shape, which some models write all the same, are given whole at the end.
 */
export class CustomToolInputReader {
  #phase: "before" | "inside" | "broken" | "after" | "other" = "before";
  /** Joined from pieces, and read with each of them only while it is short. */
  #held = "";

  /** The text that these arguments add. */
  read(fragment: string): string {
    if (this.#phase === "after") return "";
    this.#held += fragment;
    if (this.#phase === "before") this.#open();
    return this.#phase === "inside" ? this.#decode() : "";
  }

  /** What is left when the arguments are complete. */
  end(): string {
    if (this.#phase === "before" || this.#phase === "other") return onlyText(this.#held);
    return halfEscape.test(this.#held) ? "" : this.#held;
  }

  #open(): void {
    const match = opening.exec(this.#held);
    if (match === null) {
      if (this.#held.length > maxOpeningLength) this.#phase = "other";
      return;
    }
    this.#held = this.#held.slice(match[0].length);
    this.#phase = "inside";
  }

  #decode(): string {
    const { length, end } = wholeLength(this.#held);
    const whole = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    if (end === "closed") this.#close();
    if (end === "broken") this.#phase = "broken";
    return unescape(whole);
  }

  #close(): void {
    this.#phase = "after";
    this.#held = "";
  }
}

interface WholeText {
  readonly length: number;
  /** The text ends there, no escape is written so, or more has to come. */
  readonly end: "closed" | "broken" | "open";
}

const [quote, backslash] = [0x22, 0x5c];

/** How much of a JSON string's inside can be decoded: no half escape, no half pair. */
function wholeLength(text: string): WholeText {
  let place = 0;
  /** Behind the first half of a pair that is escaped. */
  let halfEnd = -1;
  for (;;) {
    const unit = text.charCodeAt(place);
    if (unit === quote) return { length: place, end: "closed" };
    const length = unit === backslash ? escapeLength(text, place) : 1;
    if (place === text.length || length === undefined || length === 0) {
      const isHalf = place === halfEnd;
      const end = length === undefined ? "broken" : "open";
      return { length: isHalf ? place - unicodeLength : place, end };
    }
    place += length;
    if (length === unicodeLength && isFirstHalf(text, place - length)) halfEnd = place;
  }
}

/** Length of `\u` and its four digits. */
const unicodeLength = 6;

/** Length of the escape at a place; 0: not all of it has come; undefined: it is invalid. */
function escapeLength(text: string, place: number): number | undefined {
  const letter = text[place + 1];
  if (letter !== "u") return letter === undefined ? 0 : 2;
  const escape = text.slice(place, place + unicodeLength);
  if (!halfEscape.test(escape)) return undefined;
  return escape.length === unicodeLength ? unicodeLength : 0;
}

function isFirstHalf(text: string, place: number): boolean {
  return /^\\u[dD][89abAB]/.test(text.slice(place, place + 4));
}

/** Line breaks that were not escaped are taken for what they are. */
function unescape(text: string): string {
  if (!text.includes("\\")) return text;
  try {
    return JSON.parse(
      `"${text.replaceAll(lineBreak, (found) => lineBreaks.get(found) ?? found)}"`,
    ) as string;
  } catch {
    return text;
  }
}

const lineBreak = /[\n\r\t]/g;
const lineBreaks = recordToMap<string>({ "\n": "\\n", "\r": "\\r", "\t": "\\t" });

/** The only text of the object, or the arguments as they are. */
function onlyText(held: string): string {
  if (hasTooManyUpstreamJsonValues(held)) return held;
  try {
    const values = Object.values(asObject(JSON.parse(held)) ?? { held });
    if (values.length === 0) return "";
    return values.length === 1 ? (asString(values[0]) ?? held) : held;
  } catch {
    return held;
  }
}
