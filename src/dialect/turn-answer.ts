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
  | CompactionAnswer
  | {
      readonly type: "tool-call";
      readonly kind: ToolKind;
      readonly id: string;
      readonly name: string;
      readonly namespace: string | undefined;
      readonly arguments: string;
    };

/** A summary of the conversation, sealed. */
export interface CompactionAnswer {
  readonly type: "compaction";
  readonly text: string;
}

/** The fold of events into the answer that they tell. */
export function foldEvents(events: Iterable<TurnEvent>): TurnAnswer {
  const folding = new AnswerFold();
  for (const event of events) folding.push(event);
  return folding.answer();
}

/** Takes events one by one, for a stream whose caller asked for none. */
export class AnswerFold {
  /** By number; a fold that is told of some parts only has gaps. */
  readonly #parts: (OpenPart | undefined)[] = [];
  #end: TurnEnd | undefined;
  #error: TurnError | undefined;
  #usage: Usage | undefined;

  push(event: TurnEvent): void {
    switch (event.type) {
      case "part-start":
        this.#parts[event.index] = openPart(event.part);
        return;
      case "part-delta":
        extend(this.#parts[event.index], event.delta);
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
    const parts: AnswerPart[] = [];
    for (const part of this.#parts) if (part !== undefined) parts.push(closePart(part));
    return { parts, end: this.#end, error: this.#error, usage: this.#usage };
  }
}

/** The events of a whole answer, for a caller who asked for a stream. */
export function answerEvents({ parts, end, error, usage }: TurnAnswer): readonly TurnEvent[] {
  const events: TurnEvent[] = [{ type: "turn-start", tier: end?.tier }];
  for (const [index, part] of parts.entries()) tellPart(events, index, part);
  if (usage !== undefined) events.push({ type: "usage", usage });
  if (error !== undefined) events.push({ type: "error", error });
  else if (end !== undefined) events.push(end);
  return events;
}

type Delta = Extract<TurnEvent, { type: "part-delta" }>["delta"];
type Head = Extract<TurnEvent, { type: "part-start" }>["part"];

/** A part while it grows; written to in place, because a stream has a delta per token. */
interface OpenPart {
  readonly head: Head;
  /** One entry per summary part of reasoning; one in all for the others. */
  texts: string[];
  readonly logprobs: unknown[];
  readonly citations: Citation[];
  seal: ReasoningSeal | undefined;
}

function openPart(head: Head): OpenPart {
  return { head, texts: [], logprobs: [], citations: [], seal: undefined };
}

function extend(part: OpenPart | undefined, delta: Delta): void {
  if (part === undefined) return;
  switch (delta.type) {
    case "text":
      if (delta.logprobs !== undefined) part.logprobs.push(...delta.logprobs);
      addText(part, delta.text);
      return;
    case "arguments":
      addText(part, delta.text);
      return;
    case "next-summary":
      part.texts.push("");
      return;
    case "seal":
      part.seal = delta.seal;
      return;
    case "citation":
      part.citations.push(delta.citation);
      return;
  }
}

function addText(part: OpenPart, text: string): void {
  const { texts } = part;
  if (texts.length === 0) part.texts = [text];
  else texts.push((texts.pop() ?? "") + text);
}

function closePart({ head, texts, logprobs, citations, seal }: OpenPart): AnswerPart {
  switch (head.type) {
    case "text":
    case "refusal":
      return { type: head.type, text: texts[0] ?? "", logprobs, citations };
    case "reasoning":
      return { type: "reasoning", texts, seal };
    case "compaction":
      return { type: "compaction", text: texts[0] ?? "" };
    case "tool-call":
      return { ...head, namespace: head.namespace, arguments: texts[0] ?? "" };
  }
}

type TextAnswer = Extract<AnswerPart, { type: "text" | "refusal" }>;
type ReasoningAnswer = Extract<AnswerPart, { type: "reasoning" }>;

function tellPart(events: TurnEvent[], index: number, part: AnswerPart): void {
  events.push({ type: "part-start", index, part: headOf(part) });
  for (const delta of deltasOf(part)) events.push({ type: "part-delta", index, delta });
  events.push({ type: "part-end", index });
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
    case "compaction":
      return [{ type: "text", text: part.text }];
    case "tool-call":
      return part.arguments === "" ? [] : [{ type: "arguments", text: part.arguments }];
  }
}

function textDeltas({ text, logprobs, citations }: TextAnswer): readonly Delta[] {
  const deltas: Delta[] = text === "" ? [] : [{ type: "text", text, logprobs }];
  for (const citation of citations) deltas.push({ type: "citation", citation });
  return deltas;
}

function reasoningDeltas({ texts, seal }: ReasoningAnswer): readonly Delta[] {
  const said = texts.flatMap((text, place): Delta[] => [
    ...(place === 0 ? [] : [{ type: "next-summary" } as const]),
    { type: "text", text },
  ]);
  return seal === undefined ? said : [...said, { type: "seal", seal }];
}
