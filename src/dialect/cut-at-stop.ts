import { asObject, asString } from "./json.ts";
import type { StreamTransformer } from "./step-machine.ts";
import {
  compileStopSequences,
  StopSequenceScanner,
  type StopSequenceAutomaton,
} from "./stop-scanner.ts";
import type { NeutralPartDelta, NeutralEvent } from "./neutral-event.ts";
import { appendAll } from "../platform/append-all.ts";

type PartStart = Extract<NeutralEvent, { type: "part-start" }>;
type TextDelta = Extract<NeutralPartDelta, { type: "text" }>;

/** A text of the answer that is not over. */
interface OpenText {
  readonly scanner: StopSequenceScanner;
  /** May be the beginning of a sequence: shorter than `stopSequenceScannerLimits.units` between two pieces. */
  withheld: string;
  /** UTF-16 units before that, which were sent. */
  sent: number;
  /** Logprobs of tokens; those before `firstToken` were sent. */
  readonly tokens: unknown[];
  /** Place of the first token that was not sent whole. */
  firstToken: number;
  /** UTF-16 units of the tokens before those. */
  tokenUnits: number;
}

/** The sequence that an answer has come to, and the text that ends before it. */
interface MetStop {
  readonly sequence: string;
  readonly index: number;
  /** UTF-16 units of the text. */
  readonly length: number;
}

/** State of `createStopSequenceCutter`. */
export interface StopSequenceCutterState {
  /** Parts that are open; undefined for those in which nothing is looked for. */
  readonly open: Map<number, OpenText | undefined>;
  /** The answer is over. */
  met: MetStop | undefined;
}

/**
 * Ends an answer before the first stop sequence in one of its texts, for an upstream that
 * knows none; reasoning and arguments are not looked at. Takes what came of one read
 * together: what the upstream told there of usage and tier still counts. Is not to be
 * given anything behind the end.
 */
export function createStopSequenceCutter(
  sequences: readonly string[],
): StreamTransformer<StopSequenceCutterState, readonly NeutralEvent[], NeutralEvent> {
  const sought = compileStopSequences(sequences);
  return {
    start: () => ({ open: new Map(), met: undefined }),
    step: (state, events) => stop(state, events, sought),
    finish: () => [],
  };
}

function stop(
  state: StopSequenceCutterState,
  events: readonly NeutralEvent[],
  sought: StopSequenceAutomaton,
): readonly NeutralEvent[] {
  const told: NeutralEvent[] = [];
  for (const [place, event] of events.entries()) {
    appendAll(told, pass(state, event, sought));
    if (state.met !== undefined) {
      return [...told, ...closing(state, state.met, events.slice(place + 1))];
    }
  }
  return told;
}

function pass(
  state: StopSequenceCutterState,
  event: NeutralEvent,
  sought: StopSequenceAutomaton,
): readonly NeutralEvent[] {
  switch (event.type) {
    case "part-start":
      state.open.set(event.index, openText(event, sought));
      return [event];
    case "part-delta":
      return event.delta.type === "text" ? read(state, event.index, event.delta) : [event];
    case "part-end":
      return [...release(state, event.index), event];
    default:
      return [event];
  }
}

function openText({ part }: PartStart, sought: StopSequenceAutomaton): OpenText | undefined {
  if (part.type !== "text") return undefined;
  const scanner = new StopSequenceScanner(sought);
  return { scanner, withheld: "", sent: 0, tokens: [], firstToken: 0, tokenUnits: 0 };
}

function read(
  state: StopSequenceCutterState,
  index: number,
  delta: TextDelta,
): readonly NeutralEvent[] {
  const open = state.open.get(index);
  if (open === undefined) return [{ type: "part-delta", index, delta }];
  const found = open.scanner.read(delta.text);
  const behind =
    found === undefined
      ? open.scanner.pending
      : delta.text.length - found.end + found.sequence.length;
  open.withheld += delta.text;
  for (const token of delta.logprobs ?? []) open.tokens.push(token);
  const told = emit(open, index, open.withheld.length - behind);
  if (found !== undefined) {
    state.met = { sequence: found.sequence, index, length: open.sent };
  }
  return told;
}

/** What was held back was none. */
function release({ open }: StopSequenceCutterState, index: number): readonly NeutralEvent[] {
  const text = open.get(index);
  open.delete(index);
  return text === undefined ? [] : emit(text, index, text.withheld.length);
}

function emit(open: OpenText, index: number, length: number): readonly NeutralEvent[] {
  const text = open.withheld.slice(0, length);
  if (text === "") return [];
  open.withheld = open.withheld.slice(length);
  open.sent += length;
  const logprobs = sentTokens(open);
  const delta: TextDelta =
    logprobs.length === 0 ? { type: "text", text } : { type: "text", text, logprobs };
  return [{ type: "part-delta", index, delta }];
}

/** Logprobs of the tokens that are sent whole by now. */
function sentTokens(open: OpenText): readonly unknown[] {
  const { tokens, firstToken } = open;
  let next = firstToken;
  for (; next < tokens.length; next++) {
    const end = open.tokenUnits + unitsOf(tokens[next]);
    if (end > open.sent) break;
    open.tokenUnits = end;
  }
  const sent = tokens.slice(firstToken, next);
  open.firstToken = next;
  dropSentTokens(open);
  return sent;
}

/** Only once they are half of all: to take some from the front moves all that are left. */
function dropSentTokens(open: OpenText): void {
  if (2 * open.firstToken < open.tokens.length) return;
  open.tokens.splice(0, open.firstToken);
  open.firstToken = 0;
}

function unitsOf(token: unknown): number {
  return asString(asObject(token)?.["token"])?.length ?? 0;
}

/** The end, with what was told behind it and is about what is left of the answer. */
function closing(
  { open }: StopSequenceCutterState,
  met: MetStop,
  rest: readonly NeutralEvent[],
): readonly NeutralEvent[] {
  const end = rest.find((event) => event.type === "response-end");
  return [
    ...rest.filter((event) => isCitation(event, met)),
    ...Array.from(open.keys(), (index): NeutralEvent => ({ type: "part-end", index })),
    ...rest.filter(({ type }) => type === "usage"),
    {
      type: "response-end",
      reason: "stop-sequence",
      raw: undefined,
      stopSequence: met.sequence,
      tier: end?.tier,
    },
  ];
}

/** A source of the text that was told; one whose place is not known counts as such. */
function isCitation(event: NeutralEvent, { index, length }: MetStop): boolean {
  if (event.type !== "part-delta" || event.index !== index) return false;
  return event.delta.type === "citation" && (event.delta.citation.end ?? 0) <= length;
}
