import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createStopSequenceCutter } from "../../src/dialect/cut-at-stop.ts";
import {
  neutralResponseToEvents,
  neutralEventsToResponse,
  type NeutralResponsePart,
} from "../../src/dialect/neutral-response.ts";
import { stopSequenceScannerLimits } from "../../src/dialect/stop-scanner.ts";
import type { NeutralEnd, NeutralEvent } from "../../src/dialect/neutral-event.ts";

const naturalEnd: NeutralEnd = {
  type: "response-end",
  reason: "end",
  raw: "completed",
  tier: "priority",
};
const usage = { input: 5, output: 9 };

/** What follows from reads, up to the end of the turn. */
function stopped(sequences: readonly string[], reads: readonly (readonly NeutralEvent[])[]) {
  const machine = createStopSequenceCutter(sequences);
  const state = machine.start();
  const told: NeutralEvent[] = [];
  for (const events of reads) {
    if (state.met === undefined) told.push(...machine.step(state, events));
  }
  return told;
}

function delta(text: string, logprobs?: readonly unknown[]): NeutralEvent {
  const words = { type: "text" as const, text };
  return { type: "part-delta", index: 0, delta: logprobs ? { ...words, logprobs } : words };
}

const start: NeutralEvent = { type: "part-start", index: 0, part: { type: "text" } };
const end: NeutralEvent = { type: "part-end", index: 0 };

/** An answer of one text, each piece in a read of its own. */
function reads(pieces: readonly NeutralEvent[]): readonly (readonly NeutralEvent[])[] {
  return [
    [{ type: "response-start" }, start],
    ...pieces.map((piece) => [piece]),
    [end],
    [naturalEnd],
  ];
}

function textIn(told: readonly NeutralEvent[]): string {
  return neutralEventsToResponse(told)
    .parts.map((part) => ("text" in part ? part.text : ""))
    .join("");
}

/** The text before the sequence that is complete first, the longest of several. */
function expected(text: string, sequences: readonly string[]) {
  for (let at = 1; at <= text.length; at++) {
    const found = sequences.filter((sequence) => text.slice(0, at).endsWith(sequence));
    const [longest] = found.toSorted((one, other) => other.length - one.length);
    if (longest !== undefined) return { text: text.slice(0, at - longest.length), stop: longest };
  }
  return { text, stop: undefined };
}

const fewLetters = fc.string({ unit: fc.constantFrom("a", "b", "🙂"), maxLength: 30 });
const someSequences = fc.array(
  fc.string({ unit: fc.constantFrom("a", "b", "🙂"), minLength: 1, maxLength: 5 }),
  { minLength: 1, maxLength: 4 },
);

function cut(text: string, offsets: readonly number[]): readonly string[] {
  const places = [0, ...offsets.map((offset) => offset % (text.length + 1)), text.length];
  const sorted = places.toSorted((one, other) => one - other);
  return sorted.slice(1).map((place, index) => text.slice(sorted[index], place));
}

describe("a stop sequence in a text", () => {
  it("[client-fields.stop] ends it at the same place, however the text is split", () => {
    fc.assert(
      fc.property(fewLetters, someSequences, fc.array(fc.nat(40)), (text, sequences, offsets) => {
        const pieces = cut(text, offsets).map((piece) => delta(piece));
        const told = stopped(sequences, reads(pieces));
        const wanted = expected(text, sequences);
        const last = neutralEventsToResponse(told).end;
        expect([textIn(told), last?.stopSequence]).toEqual([wanted.text, wanted.stop]);
        expect(last?.reason).toBe(wanted.stop === undefined ? "end" : "stop-sequence");
      }),
      { numRuns: 1000 },
    );
  });

  it("is held back while it may be one, and no longer", () => {
    const machine = createStopSequenceCutter(["\nObs:"]);
    const state = machine.start();
    machine.step(state, [start]);
    const told = ["a\nO", "b", "c\n", "\nOb", "s:"].map((piece) =>
      textIn([start, ...machine.step(state, [delta(piece)])]),
    );
    expect(told).toEqual(["a", "", "\nObc", "\n", ""]);
  });

  it("is told when the text ends in the middle of it", () => {
    const told = stopped(["END"], reads([delta("so EN")]));
    expect(textIn(told)).toBe("so EN");
    expect(told.at(-1)).toBe(naturalEnd);
  });

  it("is held back over any number of pieces", () => {
    const long = "a".repeat(stopSequenceScannerLimits.units - 1);
    const pieces = Array.from({ length: 1000 }, () => delta("a"));
    expect(textIn(stopped([`${long}b`], reads(pieces)))).toBe("a".repeat(1000));
    expect(textIn(stopped([`${long}b`], reads([...pieces, delta("b")])))).toBe(
      "a".repeat(1001 - stopSequenceScannerLimits.units),
    );
  });
});

describe("the end at a stop sequence", () => {
  it("closes what is open, and counts what came in the same read", () => {
    const call = { type: "tool-call", kind: "function", id: "c", name: "f" } as const;
    const told = stopped(
      ["END"],
      [
        [start, { type: "part-start", index: 1, part: call }],
        [delta("so END and more"), end, { type: "usage", usage }, naturalEnd],
      ],
    );
    expect(told.slice(2)).toEqual([
      delta("so "),
      end,
      { type: "part-end", index: 1 },
      { type: "usage", usage },
      {
        type: "response-end",
        reason: "stop-sequence",
        raw: undefined,
        stopSequence: "END",
        tier: "priority",
      },
    ]);
  });

  it("leaves the sources of what is left, and the tokens that are in it", () => {
    const cited = { title: "A", citedText: undefined, start: 0 };
    const inside = { ...cited, url: "https://a.example/", end: 3 };
    const behind = { ...cited, url: "https://b.example/", end: 12 };
    const tokens = ["so", " ", "EN", "D and"].map((token) => ({ token }));
    const text = { type: "text" as const, text: "so END and", logprobs: tokens };
    const parts: readonly NeutralResponsePart[] = [{ ...text, citations: [inside, behind] }];
    const events = neutralResponseToEvents({ parts, end: naturalEnd, error: undefined, usage });
    expect(neutralEventsToResponse(stopped(["END"], [events])).parts).toEqual([
      { type: "text", text: "so ", logprobs: tokens.slice(0, 2), citations: [inside] },
    ]);
  });

  it("keeps each token's logprob, however it is held back", () => {
    const tokens = ["so", " E", "N", "C"].map((token) => ({ token }));
    const pieces = tokens.map((token) => delta(token.token, [token]));
    expect(neutralEventsToResponse(stopped(["END"], reads(pieces))).parts).toEqual([
      { type: "text", text: "so ENC", logprobs: tokens, citations: [] },
    ]);
  });

  it("is looked for in texts only", () => {
    const parts: readonly NeutralResponsePart[] = [
      { type: "reasoning", texts: ["END"], encrypted: undefined },
      {
        type: "tool-call",
        kind: "function",
        id: "c",
        name: "f",
        namespace: undefined,
        arguments: '{"END":1}',
      },
      { type: "refusal", text: "END", logprobs: [], citations: [] },
    ];
    const events = neutralResponseToEvents({ parts, end: naturalEnd, error: undefined, usage });
    expect(stopped(["END"], [events])).toEqual(events);
  });
});
