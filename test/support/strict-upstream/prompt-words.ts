import type { StrictRequest } from "./request.ts";
import { recalled } from "./recalled-output.ts";

/** The words that a prompt, or else a short order of the system's, asks for. */
export function wordsFor(asked: StrictRequest): string | undefined {
  const { prompt, orders } = asked;
  const order = orders.length < longOrders ? orders : "";
  const words =
    exactWords(prompt) ??
    counted(prompt) ??
    added(prompt) ??
    story(prompt) ??
    recalled(asked) ??
    exactWords(order);
  return /\blowercase\b/.test(order) ? (words ?? greeting).toLowerCase() : words;
}

/** What is said where nothing is asked for. */
export const greeting = "Hello there, friend.";

/** System texts of clients are long, and speak of much that is not for this answer. */
const longOrders = 200;

const quoted = /\b(?:exact(?:ly)?|literal)\b[^:"'“]*[:"'“]+\s*([^"'”]+)|\bsay ['"](\w+)/i;
const loud = /\b(?:exactly|with|[Aa]nswer|[Rr]eply|[Ss]ay) (?!JSON)([A-Z]{2,})\b/;

/** `Reply with exactly: pong`, and words in capitals: `Say OK and nothing else`. */
function exactWords(text: string): string | undefined {
  const [, whole, word] = quoted.exec(text) ?? [];
  return whole?.trim() ?? word ?? loud.exec(text)?.[1];
}

function counted(prompt: string): string | undefined {
  const [, from, to] = /\bcount (?:from )?(\d+) to (\d+)/i.exec(prompt) ?? [];
  if (from === undefined || to === undefined) return undefined;
  const length = Math.min(1000, Number(to) - Number(from) + 1);
  return Array.from({ length }, (_none, at) => Number(from) + at).join(" ");
}

function added(prompt: string): string | undefined {
  const [, first, second] = /(\d+) ?\+ ?(\d+)/.exec(prompt) ?? [];
  return first === undefined ? undefined : String(Number(first) + Number(second));
}

/** Longer than most callers let a model speak. */
function story(prompt: string): string | undefined {
  return /\bthousand words\b/.test(prompt) ? "Once upon a time ".repeat(250).trim() : undefined;
}

const numerals = "zero one two three four five six seven eight nine ten".split(" ");

/** The text for a tool that takes any: a sum in figures (`4 + 4`), else the prompt. */
export function freeText(prompt: string): string {
  const [, first = "", second = ""] = /\b(\w+) plus (\w+)\b/i.exec(prompt) ?? [];
  const terms = [first, second].map((word) => numerals.indexOf(word.toLowerCase()));
  return terms.includes(-1) ? prompt : terms.join(" + ");
}
