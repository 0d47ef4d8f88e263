import { SeededRandom } from "../../../support/seeded-random.ts";

const consonants = "bdfgklmnprstvz".split("");
const vowels = "aeiou".split("");
const hex = "0123456789abcdef".split("");
const letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789".split("");

/** Makes values of traffic, and remembers them: none of them may ever be in a document. */
export class Canaries {
  readonly random: SeededRandom;
  readonly #made = new Set<string>();

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
  }

  /** Those that stand in a text, unless the interface itself says the same; each has four characters or more. */
  leaksIn(text: string, said: string): string[] {
    return [...this.#made].filter((value) => text.includes(value) && !said.includes(value));
  }

  /** A word that no document has, `tuvogike`. */
  word(): string {
    return this.#remembered(this.#syllables(this.random.between(4, 5)));
  }

  /**
   * Two words, as in the addresses of pages. They are not remembered: until several were seen
   * at a place, nothing tells such a word from one of the interface.
   */
  slug(): string {
    return `${this.#syllables(4)}-${this.#syllables(5)}`;
  }

  uuid(): string {
    const digits = this.#some(hex, 32);
    const parts = [0, 8, 12, 16, 20, 32].map((from, index, all) =>
      digits.slice(from, all[index + 1]),
    );
    return this.#remembered(parts.slice(0, 5).join("-"));
  }

  hash(): string {
    return this.#remembered(this.#some(hex, 40));
  }

  /** A prefix and random letters, `tok_8fKd…`; the prefix is the interface's. */
  id(prefix: string, length = 16): string {
    return `${prefix}_${this.#remembered(this.#some(letters, length))}`;
  }

  /** A number whose digits no document has. */
  integer(): number {
    const number = this.random.between(100_000, 99_999_999);
    this.#remembered(number.toString());
    return number;
  }

  number(): number {
    const whole = this.integer();
    return whole + this.random.between(1, 99) / 100 || whole + 0.5;
  }

  email(): string {
    return `${this.word()}@${this.word()}.example`;
  }

  url(): string {
    return `https://${this.word()}.example/${this.word()}`;
  }

  /** Of years before the traffic, of which a document says the day. */
  date(): string {
    return this.#remembered(this.#time().toISOString().slice(0, 10));
  }

  dateTime(): string {
    return this.#remembered(this.#time().toISOString());
  }

  #time(): Date {
    return new Date(this.random.between(Date.UTC(2015, 0, 1), Date.UTC(2025, 0, 1)));
  }

  #syllables(count: number): string {
    const syllable = () => `${this.random.pick(consonants)}${this.random.pick(vowels)}`;
    return Array.from({ length: count }, syllable).join("");
  }

  #some(characters: readonly string[], count: number): string {
    return Array.from({ length: count }, () => this.random.pick(characters)).join("");
  }

  #remembered(value: string): string {
    this.#made.add(value);
    return value;
  }
}
