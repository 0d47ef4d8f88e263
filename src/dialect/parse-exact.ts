import { randomBytes } from "node:crypto";
import { asObject, type JsonObject } from "./json.ts";

/** What `JSON` has for numbers that keep their text, which the compiler's library does not know yet. */
interface ExactJson {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
}

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
 * (`losslessNumberToPlain`). Throws a `SyntaxError` for what is no JSON.
 */
export function parseLosslessJson(text: string): unknown {
  return mayBeInexact.test(text) ? parseMarked(text) : JSON.parse(text);
}

/** The object that a text is; undefined for all other JSON. Throws as `parseExact`. */
export function parseLosslessJsonObject(text: string): JsonObject | undefined {
  const value = parseLosslessJson(text);
  return isExactNumber(value) ? undefined : asObject(value);
}

/** The value, as a number where it is one that kept its text. */
export function losslessNumberToPlain(value: unknown): unknown {
  return isExactNumber(value) ? Number(value.rawJSON) : value;
}

function isExactNumber(value: unknown): value is { readonly rawJSON: string } {
  return typeof value === "object" && exact.isRawJSON(value);
}

/**
 * Parses a text whose inexact numbers are made strings, and puts numbers that keep their text in
 * the place of those. A reviver is called for every value, which takes several times as long.
 */
function parseMarked(text: string): unknown {
  // The author of a text cannot foresee it.
  const mark = randomBytes(markBytes).toString("base64url");
  const marked = markNumbers(text, mark);
  try {
    return replaceMarked(JSON.parse(marked), mark);
  } catch {
    // Its error tells the place in the text as it came.
    return JSON.parse(text);
  }
}

/** Few letters, because each of the numbers has them. */
const markBytes = 9;

const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function markNumbers(text: string, mark: string): string {
  let marked = "";
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = findJsonTextStringEnd(text, at);
    else if (code === minus || isDigit(code)) {
      const end = endOfNumber(text, at);
      const digits = text.slice(at, end);
      if (!isExact(digits) && !isBeforeColon(text, end)) {
        marked += `${text.slice(copied, at)}"${mark}${digits}"`;
        copied = end;
      }
      at = end - 1;
    }
  }
  return marked + text.slice(copied);
}

/** Returns true for a broken number as well, which the parser refuses. */
function isExact(digits: string): boolean {
  return String(Number(digits)) === digits || !numberPattern.test(digits);
}

/** Made a string, a number would be a name. */
function isBeforeColon(text: string, start: number): boolean {
  let at = start;
  while (at < text.length && text.charCodeAt(at) <= space) at += 1;
  return text.charCodeAt(at) === colon;
}

/** Returns the place of the quote that ends a string; without one, the end of the text. */
export function findJsonTextStringEnd(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at !== -1 && isEscaped(text, at, start)) at = text.indexOf('"', at + 1);
  return at === -1 ? text.length : at;
}

function isEscaped(text: string, quoteAt: number, start: number): boolean {
  let at = quoteAt;
  while (at - 1 > start && text.charCodeAt(at - 1) === backslash) at -= 1;
  return (quoteAt - at) % 2 === 1;
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && isOfNumber(text.charCodeAt(at))) at += 1;
  return at;
}

function isOfNumber(code: number): boolean {
  return isDigit(code) || code === minus || code === plus || code === point || isE(code);
}

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}

function isE(code: number): boolean {
  return code === smallE || code === capitalE;
}

/** Puts numbers in the place of marked strings, however deep. */
function replaceMarked(value: unknown, mark: string): unknown {
  const left: (unknown[] | Record<string, unknown>)[] = [];
  const replaced = (member: unknown): unknown => {
    if (typeof member === "string" && member.startsWith(mark)) {
      return exact.rawJSON(member.slice(mark.length));
    }
    if (typeof member === "object" && member !== null) left.push(member as unknown[]);
    return member;
  };
  const whole = replaced(value);
  for (let holder = left.pop(); holder !== undefined; holder = left.pop()) {
    if (Array.isArray(holder)) {
      for (let at = 0; at < holder.length; at++) holder[at] = replaced(holder[at]);
    } else {
      for (const name of Object.keys(holder)) holder[name] = replaced(holder[name]);
    }
  }
  return whole;
}

const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;
const colon = 0x3a;
const minus = 0x2d;
const plus = 0x2b;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const smallE = 0x65;
const capitalE = 0x45;
