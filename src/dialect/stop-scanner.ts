/** One stop sequence, as it is looked for. */
export interface PreparedStopSequence {
  readonly sequence: string;
  /** By length of one of its beginnings: length of the longest shorter one which that ends with. */
  readonly borders: Uint32Array;
}

/** The sequence that a text has come to. */
export interface StopMatch {
  readonly sequence: string;
  /** Where it ends in the text that was read last, in UTF-16 units. */
  readonly end: number;
}

/** Sequences of at least one unit, made ready once for all texts of an answer. */
export function prepareStopSequences(
  sequences: readonly string[],
): readonly PreparedStopSequence[] {
  return sequences.map((sequence) => ({ sequence, borders: bordersOf(sequence) }));
}

/**
 * Looks for stop sequences in a text that comes in pieces, however it is split, in time
 * that grows with the text alone (Knuth, Morris and Pratt, Fast pattern matching in
 * strings, 1977). The one that is complete first is found, as a model is stopped that
 * writes; of those complete at once the longest.
 */
export class StopScanner {
  readonly #sought: readonly PreparedStopSequence[];
  /** By sequence: units of its beginning with which the text ends. */
  readonly #lengths: number[];

  constructor(sought: readonly PreparedStopSequence[]) {
    this.#sought = sought;
    this.#lengths = sought.map(() => 0);
  }

  /** UTF-16 units at the end of the text that may be the beginning of a sequence. */
  get pending(): number {
    return this.#lengths.reduce((longest, length) => Math.max(longest, length), 0);
  }

  /** Reads on; nothing is read behind a sequence. */
  read(text: string): StopMatch | undefined {
    for (let place = 0; place < text.length; place++) {
      const sequence = this.#readUnit(text.charCodeAt(place));
      if (sequence !== undefined) return { sequence, end: place + 1 };
    }
    return undefined;
  }

  #readUnit(unit: number): string | undefined {
    let found = "";
    let place = 0;
    for (const sought of this.#sought) {
      const length = extend(sought, this.#lengths[place] ?? 0, unit);
      this.#lengths[place] = length;
      place += 1;
      if (length === sought.sequence.length && length > found.length) found = sought.sequence;
    }
    return found === "" ? undefined : found;
  }
}

/** How much of a sequence a text ends with that ended with `length` units of it, one unit later. */
function extend({ sequence, borders }: PreparedStopSequence, length: number, unit: number): number {
  let known = length;
  while (known > 0 && sequence.charCodeAt(known) !== unit) known = borders[known] ?? 0;
  return sequence.charCodeAt(known) === unit ? known + 1 : 0;
}

function bordersOf(sequence: string): Uint32Array {
  const borders = new Uint32Array(sequence.length + 1);
  for (let length = 1; length < sequence.length; length++) {
    const border = borders[length] ?? 0;
    borders[length + 1] = extend({ sequence, borders }, border, sequence.charCodeAt(length));
  }
  return borders;
}
