import type { Citation, TurnEnd, TurnError, TurnEvent } from "./turn-event.ts";
import type { ReasoningSeal, ToolKind } from "./turn.ts";
import { mergeUsage, type Usage } from "./usage.ts";

/** A whole answer: what its events add up to. */
export interface TurnAnswer {
  readonly parts: readonly AnswerPart[];
  readonly end: TurnEnd | undefined;
  readonly error: TurnError | undefined;
  readonly usage: Usage | undefined;
}

export type AnswerPart =
  | {
      readonly type: "text" | "refusal";
      readonly text: string;
      readonly logprobs: readonly unknown[];
      readonly citations: readonly Citation[];
    }
  | {
      readonly type: "reasoning";
      /** One entry per summary part. */
      readonly texts: readonly string[];
      readonly seal: ReasoningSeal | undefined;
    }
  | {
      readonly type: "tool-call";
      readonly kind: ToolKind;
      readonly id: string;
      readonly name: string;
      readonly namespace: string | undefined;
      readonly arguments: string;
    };

/** The fold of events into the answer that they tell. */
export function foldEvents(events: Iterable<TurnEvent>): TurnAnswer {
  const folding = new AnswerFold();
  for (const event of events) folding.take(event);
  return folding.answer();
}

/** Takes events one by one, for a stream whose caller asked for none. */
export class AnswerFold {
  readonly #parts = new Map<number, AnswerPart>();
  #end: TurnEnd | undefined;
  #error: TurnError | undefined;
  #usage: Usage | undefined;

  take(event: TurnEvent): void {
    switch (event.type) {
      case "part-start":
        this.#parts.set(event.index, emptyPart(event.part));
        return;
      case "part-delta":
        this.#extend(event);
        return;
      case "usage":
        this.#usage = mergeUsage(this.#usage, event.usage);
        return;
      case "turn-end":
        this.#end = event;
        return;
      case "error":
        this.#error = event.error;
        return;
      default:
    }
  }

  answer(): TurnAnswer {
    const parts = [...this.#parts.values()];
    return { parts, end: this.#end, error: this.#error, usage: this.#usage };
  }

  #extend({ index, delta }: Extract<TurnEvent, { type: "part-delta" }>): void {
    const part = this.#parts.get(index);
    if (part !== undefined) this.#parts.set(index, extended(part, delta));
  }
}

/** The events of a whole answer, for a caller who asked for a stream. */
export function* answerEvents(answer: TurnAnswer): Generator<TurnEvent> {
  yield { type: "turn-start" };
  for (const [index, part] of answer.parts.entries()) yield* partEvents(index, part);
  if (answer.usage !== undefined) yield { type: "usage", usage: answer.usage };
  if (answer.error !== undefined) yield { type: "error", error: answer.error };
  else if (answer.end !== undefined) yield answer.end;
}

type Delta = Extract<TurnEvent, { type: "part-delta" }>["delta"];
type Head = Extract<TurnEvent, { type: "part-start" }>["part"];

function emptyPart(head: Head): AnswerPart {
  switch (head.type) {
    case "text":
    case "refusal":
      return { type: head.type, text: "", logprobs: [], citations: [] };
    case "reasoning":
      return { type: "reasoning", texts: [], seal: undefined };
    case "tool-call":
      return { ...head, namespace: head.namespace, arguments: "" };
  }
}

function extended(part: AnswerPart, delta: Delta): AnswerPart {
  switch (part.type) {
    case "text":
    case "refusal":
      return extendedText(part, delta);
    case "reasoning":
      return extendedReasoning(part, delta);
    case "tool-call":
      return delta.type === "arguments"
        ? { ...part, arguments: part.arguments + delta.text }
        : part;
  }
}

type TextAnswer = Extract<AnswerPart, { type: "text" | "refusal" }>;
type ReasoningAnswer = Extract<AnswerPart, { type: "reasoning" }>;

function extendedText(part: TextAnswer, delta: Delta): TextAnswer {
  if (delta.type === "citation") return { ...part, citations: [...part.citations, delta.citation] };
  if (delta.type !== "text") return part;
  const logprobs = [...part.logprobs, ...(delta.logprobs ?? [])];
  return { ...part, text: part.text + delta.text, logprobs };
}

function extendedReasoning(part: ReasoningAnswer, delta: Delta): ReasoningAnswer {
  if (delta.type === "seal") return { ...part, seal: delta.seal };
  if (delta.type === "next-summary") return { ...part, texts: [...part.texts, ""] };
  if (delta.type !== "text") return part;
  return { ...part, texts: [...part.texts.slice(0, -1), (part.texts.at(-1) ?? "") + delta.text] };
}

function* partEvents(index: number, part: AnswerPart): Generator<TurnEvent> {
  yield { type: "part-start", index, part: headOf(part) };
  for (const delta of deltasOf(part)) yield { type: "part-delta", index, delta };
  yield { type: "part-end", index };
}

function headOf(part: AnswerPart): Head {
  if (part.type !== "tool-call") return { type: part.type };
  const { type, kind, id, name, namespace } = part;
  return { type, kind, id, name, namespace };
}

function deltasOf(part: AnswerPart): readonly Delta[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return textDeltas(part);
    case "reasoning":
      return reasoningDeltas(part);
    case "tool-call":
      return part.arguments === "" ? [] : [{ type: "arguments", text: part.arguments }];
  }
}

function textDeltas({ text, logprobs, citations }: TextAnswer): readonly Delta[] {
  const said: Delta[] = text === "" ? [] : [{ type: "text", text, logprobs }];
  return [...said, ...citations.map((citation): Delta => ({ type: "citation", citation }))];
}

function reasoningDeltas({ texts, seal }: ReasoningAnswer): readonly Delta[] {
  const said = texts.flatMap((text, place): Delta[] => [
    ...(place === 0 ? [] : [{ type: "next-summary" } as const]),
    { type: "text", text },
  ]);
  return seal === undefined ? said : [...said, { type: "seal", seal }];
}
