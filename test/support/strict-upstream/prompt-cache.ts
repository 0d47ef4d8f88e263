import { wordsIn } from "./request.ts";

/** The least that vendors keep of a prompt. */
const leastTokens = 1024;

/** What the double has read, so that a prompt which begins alike is partly cached. */
export class PromptCache {
  readonly #read: (readonly string[])[] = [];

  /** Reads a prompt. Returns its tokens that are known from an earlier one. */
  read(prompt: unknown): number {
    const words = wordsIn(prompt);
    if (words.length < leastTokens) return 0;
    const known = Math.max(0, ...this.#read.map((before) => sharedWords(before, words)));
    this.#read.push(words);
    if (this.#read.length > mostPrompts) this.#read.shift();
    return known < leastTokens ? 0 : known;
  }
}

const mostPrompts = 50;

function sharedWords(before: readonly string[], words: readonly string[]): number {
  const end = words.findIndex((word, at) => word !== before[at]);
  return end === -1 ? words.length : end;
}
