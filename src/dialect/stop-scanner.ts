/**
 * Sequences that are looked for together: at most so many, of so many UTF-16 units in all. The
 * automaton grows with the square of the units, to half a megabyte.
 */
export const stopSequenceScannerLimits = { sequences: 64, units: 512 } as const;

/**
 * Stop sequences as they are looked for: an automaton whose states are the beginnings of the
 * sequences, the empty one first (Aho and Corasick, Efficient string matching, 1975).
 */
export interface StopSequenceAutomaton {
  /** By UTF-16 unit: its number among the units of the sequences; 0 or nothing for any other. */
  readonly units: Uint16Array;
  /** Units of the sequences, and one for all others. */
  readonly unitCount: number;
  /** By state and unit: the longest beginning with which the text ends then. */
  readonly next: Uint16Array;
  /** By state: length of the beginning. */
  readonly lengths: readonly number[];
  /** By state: the longest sequence with which the beginning ends; "": none. */
  readonly found: readonly string[];
}

/** The sequence that a text has come to. */
export interface StopSequenceMatch {
  readonly sequence: string;
  /** Its end in the text that was read last, in UTF-16 units. */
  readonly end: number;
}

/** Whether so many and so long sequences can be looked for. */
export function isWithinStopSequenceLimits(sequences: readonly string[]): boolean {
  const units = sequences.reduce((sum, { length }) => sum + length, 0);
  return (
    sequences.length <= stopSequenceScannerLimits.sequences &&
    units <= stopSequenceScannerLimits.units
  );
}

/** Sequences of at least one unit, made ready once for all texts of an answer. */
export function compileStopSequences(sequences: readonly string[]): StopSequenceAutomaton {
  if (!isWithinStopSequenceLimits(sequences))
    throw new Error("too many or too long stop sequences");
  const units = numberUnits(sequences);
  const unitCount = 1 + units.reduce((most, number) => Math.max(most, number), 0);
  const states = 1 + sequences.reduce((sum, { length }) => sum + length, 0);
  const automaton = {
    units,
    unitCount,
    next: new Uint16Array(states * unitCount),
    lengths: [0],
    found: [""],
  };
  for (const sequence of sequences) addSequence(automaton, sequence);
  connectStates(automaton);
  return automaton;
}

function numberUnits(sequences: readonly string[]): Uint16Array {
  const used = new Set<number>();
  for (const sequence of sequences) {
    for (let place = 0; place < sequence.length; place++) used.add(sequence.charCodeAt(place));
  }
  const highest = [...used].reduce((most, unit) => Math.max(most, unit), 0);
  const numbers = new Uint16Array(highest + 1);
  for (const [place, unit] of [...used].entries()) numbers[unit] = place + 1;
  return numbers;
}

/** Adds a state for each beginning that no sequence before it has. */
function addSequence(automaton: Automaton, sequence: string): void {
  const { units, unitCount, next, lengths, found } = automaton;
  let state = 0;
  for (let place = 0; place < sequence.length; place++) {
    const entry = state * unitCount + (units[sequence.charCodeAt(place)] ?? 0);
    if (next[entry] === 0) {
      next[entry] = lengths.length;
      lengths.push(place + 1);
      found.push("");
    }
    state = next[entry] ?? 0;
  }
  found[state] = sequence;
}

/**
 * Says of each state what follows where its sequences do not go on: the same as from the longest
 * shorter beginning with which it ends. Shorter states come before those that need them.
 */
function connectStates({ unitCount, next, found }: Automaton): void {
  const shorter = new Uint16Array(found.length);
  const states = next.subarray(0, unitCount).filter((state) => state !== 0);
  const queue = [...states];
  for (const state of queue) {
    const fallback = shorter[state] ?? 0;
    found[state] ||= found[fallback] ?? "";
    for (let unit = 0; unit < unitCount; unit++) {
      const entry = state * unitCount + unit;
      const after = next[fallback * unitCount + unit] ?? 0;
      const own = next[entry] ?? 0;
      if (own === 0) next[entry] = after;
      else {
        shorter[own] = after;
        queue.push(own);
      }
    }
  }
}

type Automaton = StopSequenceAutomaton & { readonly lengths: number[]; readonly found: string[] };

/**
 * Looks for stop sequences in a text that comes in pieces, however it is split, in time that
 * grows with the text alone. The one that is complete first is found, as a model is stopped that
 * writes; of those complete at once the longest.
 */
export class StopSequenceScanner {
  readonly #sought: StopSequenceAutomaton;
  #state = 0;

  constructor(sought: StopSequenceAutomaton) {
    this.#sought = sought;
  }

  /** UTF-16 units at the end of the text that may be the beginning of a sequence. */
  get pending(): number {
    return this.#sought.lengths[this.#state] ?? 0;
  }

  /** Reads on; nothing is read behind a sequence. */
  read(text: string): StopSequenceMatch | undefined {
    const { units, unitCount, next, found } = this.#sought;
    let state = this.#state;
    for (let place = 0; place < text.length; place++) {
      const unit = units[text.charCodeAt(place)] ?? 0;
      state = next[state * unitCount + unit] ?? 0;
      const sequence = state === 0 ? "" : (found[state] ?? "");
      if (sequence === "") continue;
      this.#state = state;
      return { sequence, end: place + 1 };
    }
    this.#state = state;
    return undefined;
  }
}
