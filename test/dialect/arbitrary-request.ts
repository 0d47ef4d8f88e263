import fc from "fast-check";
import {
  neutralResponseToEvents,
  type NeutralResponsePart,
  type NeutralResponse,
} from "../../src/dialect/neutral-response.ts";
import type {
  Citation,
  NeutralPartDelta,
  NeutralEnd,
  NeutralEvent,
} from "../../src/dialect/neutral-event.ts";
import type {
  FunctionTool,
  NeutralPart,
  EncryptedReasoning,
  NeutralTool,
  ToolCallPart,
  ClientToolKind,
  ToolResultPart,
  NeutralRequest,
  NeutralMessage,
} from "../../src/dialect/neutral-request.ts";
import type { TokenUsage } from "../../src/dialect/usage.ts";

/** A turn of which nothing is asked but an answer to a word; tests override what they are about. */
export const plainTurn: NeutralRequest = {
  origin: "dialect_chat",
  model: "custom/lab/model",
  isStream: false,
  wantsStreamUsage: true,
  system: [],
  messages: [
    {
      path: "messages[0]",
      role: "user",
      parts: [{ type: "text", path: "messages[0].content", text: "hello" }],
    },
  ],
  tools: [],
  toolChoice: undefined,
  parallelToolCalls: undefined,
  format: undefined,
  reasoning: undefined,
  sampling: {
    temperature: undefined,
    topP: undefined,
    topK: undefined,
    presencePenalty: undefined,
    frequencyPenalty: undefined,
    seed: undefined,
  },
  maxOutputTokens: undefined,
  stop: undefined,
  logprobs: undefined,
  user: undefined,
  serviceTier: undefined,
  verbosity: undefined,
  metadata: undefined,
  extras: [],
};

/** Text as people and models write it: any script, line breaks, quotes, never empty. */
export const someText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 24 }),
  fc.constantFrom("a", "Grüße 👩‍👩‍👧", 'say "no"\n\tdata: x', "\u2028", "[DONE]", "0"),
);

/** Text of which something is left where blank text is left out. */
const someWords: fc.Arbitrary<string> = someText.filter((text) => text.trim() !== "");

/** JSON text of an object, as a model writes arguments. */
export const someArguments: fc.Arbitrary<string> = fc
  .dictionary(fc.constantFrom("path", "q", "ключ", "n"), fc.jsonValue({ maxDepth: 2 }), {
    maxKeys: 3,
    noNullPrototype: true,
  })
  .map((value) => JSON.stringify(value));

export const someToolName: fc.Arbitrary<string> = fc.constantFrom(
  "look_up",
  "run-tests",
  "apply_patch",
);

const someUsage: fc.Arbitrary<TokenUsage> = fc.record({
  input: fc.nat(5000),
  cacheRead: fc.option(fc.nat(5000), { nil: undefined }),
  cacheWrite: fc.option(fc.nat(500), { nil: undefined }),
  output: fc.nat(900),
  reasoning: fc.option(fc.nat(900), { nil: undefined }),
});

const someCitation: fc.Arbitrary<Citation> = fc.record({
  url: fc.webUrl(),
  title: someText,
  citedText: fc.constant(undefined),
  start: fc.nat(20),
  end: fc.nat(40),
});

export interface AnswerChoices {
  /** Seals that a reasoning part may carry; none as a rule. */
  readonly seals?: readonly EncryptedReasoning[];
  /** Kinds of calls; functions only as a rule. */
  readonly kinds?: readonly ClientToolKind[];
  readonly hasCitations?: boolean;
  /** Reasoning first, then one text, then calls, as chat has them. */
  readonly isChatOrder?: boolean;
}

/** Whole answers whose end fits their parts. Call ids differ; consecutive texts are allowed. */
export function someAnswer(choices: AnswerChoices = {}): fc.Arbitrary<NeutralResponse> {
  const parts = choices.isChatOrder === true ? chatParts(choices) : anyParts(choices);
  return fc
    .record({ parts, usage: someUsage, cut: fc.constantFrom("", "", "length", "refusal") })
    .map(({ parts, usage, cut }) => ({
      parts: parts.map(withOwnId),
      end: endOf(parts, cut),
      error: undefined,
      usage,
    }));
}

/**
 * Events that fold into `answer`: texts and arguments cut at any character, and
 * the deltas of neighbouring calls interleaved where `isInterleaved`.
 */
export function someEvents(
  choices: AnswerChoices = {},
): fc.Arbitrary<{ readonly answer: NeutralResponse; readonly events: readonly NeutralEvent[] }> {
  return fc
    .record({ answer: someAnswer(choices), cut: fc.integer({ min: 1, max: 7 }), mix: fc.boolean() })
    .map(({ answer, cut, mix }) => {
      const events = [...neutralResponseToEvents(answer)].flatMap((event) => cutEvent(event, cut));
      return { answer, events: mix ? interleaveCalls(events) : events };
    });
}

/** Conversations that every dialect can say: system, user, paired calls and results, in order. */
export function someTurn(): fc.Arbitrary<NeutralRequest> {
  return fc
    .record({
      system: fc.array(someText, { maxLength: 2 }),
      rounds: fc.array(someRound, { minLength: 1, maxLength: 3 }),
      last: someWords,
      isStream: fc.boolean(),
      cap: fc.option(fc.integer({ min: 2000, max: 9000 }), { nil: undefined }),
      temperature: fc.option(fc.constantFrom(0, 0.5, 1), { nil: undefined }),
    })
    .map(({ system, rounds, last, isStream, cap, temperature }) => ({
      ...plainTurn,
      isStream,
      system: system.map((text, index) => textPart(`messages[${index}].content`, text)),
      messages: conversation(rounds, last),
      tools: toolsOf(rounds),
      maxOutputTokens: cap === undefined ? undefined : { path: "max_tokens", value: cap },
      sampling: {
        ...plainTurn.sampling,
        temperature:
          temperature === undefined ? undefined : { path: "temperature", value: temperature },
      },
    }));
}

/** A function tool without a schema of its own. */
export function plainTool(name: string, path = "tools[0]"): FunctionTool {
  return {
    type: "function",
    path,
    name,
    parameters: { type: "object", properties: {} },
    strict: undefined,
    extras: [],
  };
}

interface Round {
  readonly question: string;
  readonly answer: string | undefined;
  readonly calls: readonly {
    readonly name: string;
    readonly input: string;
    readonly output: string;
  }[];
}

const someRound: fc.Arbitrary<Round> = fc.record({
  question: someText,
  answer: fc.option(someText, { nil: undefined }),
  calls: fc.array(fc.record({ name: someToolName, input: someArguments, output: someText }), {
    maxLength: 3,
  }),
});

function conversation(rounds: readonly Round[], last: string): readonly NeutralMessage[] {
  const messages = rounds.flatMap(roundMessages);
  return [...messages, message("user", [textPart("", last)])].map(numbered);
}

function roundMessages(round: Round, number: number): readonly NeutralMessage[] {
  const calls = round.calls.map((call, index) => toolCall(`call_${number}_${index}`, call));
  const said = round.answer === undefined ? [] : [textPart("", round.answer)];
  const answer: readonly NeutralPart[] = [...said, ...calls];
  const results = round.calls.map(({ output }, index) =>
    toolResult(`call_${number}_${index}`, output),
  );
  return [
    message("user", [textPart("", round.question)]),
    ...(answer.length === 0 ? [] : [message("assistant", answer)]),
    ...(results.length === 0 ? [] : [message("tool", results)]),
  ];
}

function numbered(message: NeutralMessage, index: number): NeutralMessage {
  const path = `messages[${index}]`;
  const parts = message.parts.map((part, place) => ({
    ...part,
    path: `${path}.content[${place}]`,
  }));
  return { ...message, path, parts };
}

function message(role: NeutralMessage["role"], parts: readonly NeutralPart[]): NeutralMessage {
  return { path: "", role, parts };
}

function textPart(path: string, text: string) {
  return { type: "text", path, text } as const;
}

function toolCall(id: string, call: Round["calls"][number]): ToolCallPart {
  const { name, input } = call;
  return { type: "tool-call", path: "", kind: "function", id, name, arguments: input };
}

function toolResult(callId: string, text: string): ToolResultPart {
  const content = [textPart("", text)];
  return { type: "tool-result", path: "", kind: "function", callId, isError: false, content };
}

function toolsOf(rounds: readonly Round[]): readonly NeutralTool[] {
  const names = new Set(rounds.flatMap(({ calls }) => calls.map(({ name }) => name)));
  return [...names].map((name, index) => plainTool(name, `tools[${index}]`));
}

function someTextPart({ hasCitations }: AnswerChoices): fc.Arbitrary<NeutralResponsePart> {
  const citations =
    hasCitations === true ? fc.array(someCitation, { maxLength: 2 }) : fc.constant([]);
  return fc.record({
    type: fc.constant("text" as const),
    text: someText,
    logprobs: fc.constant([]),
    citations,
  });
}

function someReasoning({ seals = [] }: AnswerChoices): fc.Arbitrary<NeutralResponsePart> {
  const seal = seals.length === 0 ? fc.constant(undefined) : fc.constantFrom(undefined, ...seals);
  return fc.record({
    type: fc.constant("reasoning" as const),
    texts: fc.array(someText, { minLength: 1, maxLength: 2 }),
    encrypted: seal,
  });
}

function someCall({ kinds = ["function"] }: AnswerChoices): fc.Arbitrary<NeutralResponsePart> {
  return fc
    .record({
      kind: fc.constantFrom(...kinds),
      name: someToolName,
      json: someArguments,
      text: someText,
    })
    .map(({ kind, name, json, text }) => ({
      type: "tool-call",
      kind,
      id: "",
      name,
      namespace: undefined,
      arguments: kind === "custom" ? text : json,
    }));
}

function anyParts(choices: AnswerChoices): fc.Arbitrary<NeutralResponsePart[]> {
  const part = fc.oneof(someTextPart(choices), someReasoning(choices), someCall(choices));
  return fc.array(part, { maxLength: 5 });
}

function chatParts(choices: AnswerChoices): fc.Arbitrary<NeutralResponsePart[]> {
  return fc
    .tuple(
      fc.array(someReasoning(choices), { maxLength: 1 }),
      fc.array(someTextPart(choices), { maxLength: 1 }),
      fc.array(someCall(choices), { maxLength: 3 }),
    )
    .map((kinds) => kinds.flat());
}

function withOwnId(part: NeutralResponsePart, index: number): NeutralResponsePart {
  return part.type === "tool-call" ? { ...part, id: `call_new_${index}` } : part;
}

function endOf(parts: readonly NeutralResponsePart[], cut: string): NeutralEnd {
  const hasCalls = parts.some(({ type }) => type === "tool-call");
  const natural = hasCalls ? "tool-calls" : "end";
  const reason = cut === "length" || cut === "refusal" ? cut : natural;
  const tier = hasCalls ? "priority" : "standard";
  return { type: "response-end", reason, raw: undefined, tier };
}

function cutEvent(event: NeutralEvent, length: number): readonly NeutralEvent[] {
  if (event.type !== "part-delta") return [event];
  const { delta } = event;
  if (delta.type !== "text" && delta.type !== "arguments") return [event];
  return pieces(delta.text, length).map((text) => ({ ...event, delta: withText(delta, text) }));
}

function withText(
  delta: Extract<NeutralPartDelta, { text: string }>,
  text: string,
): NeutralPartDelta {
  return delta.type === "text" ? { type: "text", text } : { type: "arguments", text };
}

function pieces(text: string, length: number): readonly string[] {
  const letters = Array.from(text);
  const count = Math.ceil(letters.length / length);
  return Array.from({ length: count }, (_, index) =>
    letters.slice(index * length, (index + 1) * length).join(""),
  );
}

/** Runs of calls as chat streams may bring them: all opened, deltas in turn, then all closed. */
function interleaveCalls(events: readonly NeutralEvent[]): readonly NeutralEvent[] {
  const calls = new Set(
    events.flatMap((event) =>
      event.type === "part-start" && event.part.type === "tool-call" ? [event.index] : [],
    ),
  );
  const isCall = (event: NeutralEvent) => "index" in event && calls.has(event.index);
  const runs: NeutralEvent[][] = [];
  for (const event of events) {
    const run = runs.at(-1);
    if (run?.[0] !== undefined && isCall(event) && isCall(run[0])) run.push(event);
    else runs.push([event]);
  }
  return runs.flatMap(interleaveRun);
}

function interleaveRun(run: readonly NeutralEvent[]): readonly NeutralEvent[] {
  const ofType = (type: NeutralEvent["type"]) => run.filter((event) => event.type === type);
  const deltas = ofType("part-delta");
  if (deltas.length === 0) return run;
  const turns = Map.groupBy(deltas, (event) => ("index" in event ? event.index : 0));
  const longest = Math.max(...[...turns.values()].map((list) => list.length));
  const mixed = Array.from({ length: longest }, (_, place) =>
    [...turns.values()].flatMap((list) => list[place] ?? []),
  ).flat();
  return [...ofType("part-start"), ...mixed, ...ofType("part-end")];
}
