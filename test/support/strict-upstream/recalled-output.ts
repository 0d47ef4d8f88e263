import type { StrictRequest } from "./request.ts";

/** What was told, if it is asked for by its name; or the last number that was. */
export function recalled({ prompt, before }: StrictRequest): string | undefined {
  const [, ...names] = /\bwhat(?: is| was|'s) (?:my|the) (\w+)(?: (\w+))?/i.exec(prompt) ?? [];
  const told = names.map((name) => name && outputOf(name, `${before}\n${prompt}`)).find(Boolean);
  const number = () => before.match(/\d+/g)?.at(-1);
  return told ?? (/\bjust the number\b/i.test(prompt) ? number() : undefined);
}

/** The value is looked at without being taken, for it may be the name of the next one. */
const statement = /\b(\w+)(?: is | (?=['"`])|["'`]?\s*[=:]\s*)(?=["'`]?([\w-]+))/g;

/**
 * What a text last says that `name` is: `my name is Ada`, `a=40`, `the codeword 'quasar'`,
 * `{"temperature_celsius":22}` for `temperature`.
 */
export function outputOf(name: string, text: string): string | undefined {
  const wanted = name.toLowerCase();
  return [...text.matchAll(statement)]
    .map(([, key = "", value]) => [key.toLowerCase(), value] as const)
    .findLast(([key]) => key === wanted || key.startsWith(`${wanted}_`))?.[1];
}
