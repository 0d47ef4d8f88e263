import { createLookupTable } from "../platform/lookup-table.ts";
import { asObject, asString, type JsonObject } from "./json.ts";
import { hasTooManyValues } from "./value-limit.ts";
import type { CustomTool } from "./neutral-request.ts";

/**
 * A tool that takes free text, for an upstream that knows JSON arguments only:
 * the text becomes the one field `input`, and comes out of it again.
 */
export const wrappedInputSchema: JsonObject = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
};

/** Arguments of a call with this text. */
export function wrapToolInput(text: string): string {
  return JSON.stringify({ input: text });
}

/** The description, and the grammar that the upstream cannot enforce. */
export function describeWrappedTool({ description, format }: CustomTool): string | undefined {
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
export class WrappedInputReader {
  #phase: "before" | "inside" | "after" | "other" = "before";
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
    return this.#phase === "after" || halfEscape.test(this.#held) ? "" : this.#held;
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
    const { length, isClosed } = wholeLength(this.#held);
    const whole = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    if (isClosed) this.#phase = "after";
    return unescape(whole);
  }
}

/** How much of a JSON string's inside can be decoded: no half escape, no half pair. */
function wholeLength(text: string): { readonly length: number; readonly isClosed: boolean } {
  const inside = /^(?:[^"\\]+|\\u[0-9a-fA-F]{4}|\\[^u])*/.exec(text)?.[0] ?? "";
  if (text[inside.length] === '"') return { length: inside.length, isClosed: true };
  const half = /\\u[dD][89abAB][0-9a-fA-F]{2}$/.exec(inside);
  return { length: inside.length - (half?.[0].length ?? 0), isClosed: false };
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
const lineBreaks = createLookupTable<string>({ "\n": "\\n", "\r": "\\r", "\t": "\\t" });

/** The only text of the object, or the arguments as they are. */
function onlyText(held: string): string {
  if (hasTooManyValues(held)) return held;
  try {
    const values = Object.values(asObject(JSON.parse(held)) ?? { held });
    if (values.length === 0) return "";
    return values.length === 1 ? (asString(values[0]) ?? held) : held;
  } catch {
    return held;
  }
}
