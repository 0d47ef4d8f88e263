import { asObject, type JsonObject } from "./json.ts";

/** What `JSON` has for numbers that keep their text, which the compiler's library does not know yet. */
interface ExactJson {
  parse(text: string, revive: Revive): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
}

type Revive = (name: string, value: unknown, context: { readonly source?: string }) => unknown;

const exact = JSON as unknown as ExactJson;

/**
 * A number may be longer than a double is exact, or too large or too small for one. Digits
 * behind a letter or an underscore are no number: ids are full of them.
 */
const mayBeInexact = /\b\d(?:[\d.]{15}|[\d.]{0,14}[eE][+-]?\d{3})/;

/**
 * Parses JSON so that `JSON.stringify` prints every number with the digits that it
 * had: ids of 64 bits in the arguments of tools are common, and no double holds
 * them. A number that a double would change is an object of its own
 * (`plainNumber`). Throws a `SyntaxError` for what is no JSON.
 */
export function parseExact(text: string): unknown {
  return mayBeInexact.test(text) ? exact.parse(text, keepDigits) : JSON.parse(text);
}

/** The object that a text is; undefined for all other JSON. Throws as `parseExact`. */
export function parseExactObject(text: string): JsonObject | undefined {
  const value = parseExact(text);
  return isExactNumber(value) ? undefined : asObject(value);
}

/** The value, as a number where it is one that kept its text. */
export function plainNumber(value: unknown): unknown {
  return isExactNumber(value) ? Number(value.rawJSON) : value;
}

function isExactNumber(value: unknown): value is { readonly rawJSON: string } {
  return typeof value === "object" && exact.isRawJSON(value);
}

const keepDigits: Revive = (_name, value, { source }) => {
  const isHeld = typeof value !== "number" || source === undefined || String(value) === source;
  return isHeld ? value : exact.rawJSON(source);
};
