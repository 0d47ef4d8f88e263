import type { Asked } from "./asked.ts";

/** The words that a prompt, or else a short order of the system's, asks for. */
export function wordsFor(asked: Asked): string | undefined {
  const { prompt, orders } = asked;
  const order = orders.length < longOrders ? orders : "";
  return exactWords(prompt) ?? counted(prompt) ?? recalled(asked) ?? exactWords(order);
}

/** System texts of clients are long, and speak of much that is not for this answer. */
const longOrders = 200;

/** `Reply with exactly: pong`, and words in capitals: `Say OK and nothing else`. */
function exactWords(text: string): string | undefined {
  const quoted = /\bexactly\b[^:"'“]*[:"'“]+\s*([^"'”]+)/i.exec(text)?.[1]?.trim();
  const loud = /\b(?:exactly|with|[Aa]nswer|[Rr]eply|[Ss]ay) (?!JSON)([A-Z]{2,})\b/;
  return quoted ?? loud.exec(text)?.[1];
}

function counted(prompt: string): string | undefined {
  const [, from, to] = /\bcount (?:from )?(\d+) to (\d+)/i.exec(prompt) ?? [];
  if (from === undefined || to === undefined) return undefined;
  const length = Math.min(1000, Number(to) - Number(from) + 1);
  return Array.from({ length }, (_none, at) => Number(from) + at).join(" ");
}

/** What was told before, if it is asked for by its name; or the last number that was. */
function recalled({ prompt, before }: Asked): string | undefined {
  const name = /\bwhat (?:is|was) (?:my|the) (\w+)/i.exec(prompt)?.[1];
  const told = name === undefined ? undefined : saidOf(name, before);
  const number = () => before.match(/\d+/g)?.at(-1);
  return told ?? (/\bjust the number\b/i.test(prompt) ? number() : undefined);
}

/** What a text last says that `name` is: `my name is Ada`, `a=40`, `status="ok"`. */
export function saidOf(name: string, text: string): string | undefined {
  const told = [...text.matchAll(/\b(\w+)(?: is |\s*=\s*)"?(\w+)/g)];
  return told.findLast(([, key]) => key?.toLowerCase() === name.toLowerCase())?.[2];
}

const numerals = "zero one two three four five six seven eight nine ten".split(" ");

/** The text for a tool that takes any: a sum in figures (`4 + 4`), else the prompt. */
export function freeText(prompt: string): string {
  const [, first = "", second = ""] = /\b(\w+) plus (\w+)\b/i.exec(prompt) ?? [];
  const terms = [first, second].map((word) => numerals.indexOf(word.toLowerCase()));
  return terms.includes(-1) ? prompt : terms.join(" + ");
}
