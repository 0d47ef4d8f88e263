import type { Citation, NeutralEnd, NeutralError, NeutralEvent } from "./neutral-event.ts";
import type { EncryptedReasoning, ClientToolKind } from "./neutral-request.ts";
import { mergeTokenUsage, type TokenUsage } from "./usage.ts";

/** A whole answer: what its events add up to. */
export interface NeutralResponse {
  readonly parts: readonly NeutralResponsePart[];
  readonly end: NeutralEnd | undefined;
  readonly error: NeutralError | undefined;
  readonly usage: TokenUsage | undefined;
}

export type NeutralResponsePart =
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
      readonly encrypted: EncryptedReasoning | undefined;
    }
  | CompactionPart
  | {
      readonly type: "tool-call";
      readonly kind: ClientToolKind;
      readonly id: string;
      readonly name: string;
      readonly namespace: string | undefined;
      readonly arguments: string;
    };

/** A summary of the conversation, sealed. */
export interface CompactionPart {
  readonly type: "compaction";
  readonly text: string;
}

/** The fold of events into the answer that they tell. */
export function neutralEventsToResponse(events: Iterable<NeutralEvent>): NeutralResponse {
  const folding = new NeutralResponseAccumulator();
  for (const event of events) folding.push(event);
  return folding.answer();
}

/** Takes events one by one, for a stream whose caller asked for none. */
export class NeutralResponseAccumulator {
  /** By number; a fold that is told of some parts only has gaps. */
  readonly #parts: (OpenPart | undefined)[] = [];
  #end: NeutralEnd | undefined;
  #error: NeutralError | undefined;
  #usage: TokenUsage | undefined;

  push(event: NeutralEvent): void {
    switch (event.type) {
      case "part-start":
        this.#parts[event.index] = openPart(event.part);
        return;
      case "part-delta":
        extend(this.#parts[event.index], event.delta);
        return;
      case "usage":
        this.#usage = mergeTokenUsage(this.#usage, event.usage);
        return;
      case "response-end":
        this.#end = event;
        return;
      case "error":
        this.#error = event.error;
        return;
      default:
    }
  }

  answer(): NeutralResponse {
    const parts: NeutralResponsePart[] = [];
    for (const part of this.#parts) if (part !== undefined) parts.push(closePart(part));
    return { parts, end: this.#end, error: this.#error, usage: this.#usage };
  }
}

/** The events of a whole answer, for a caller who asked for a stream. */
export function neutralResponseToEvents({
  parts,
  end,
  error,
  usage,
}: NeutralResponse): readonly NeutralEvent[] {
  const events: NeutralEvent[] = [{ type: "response-start", tier: end?.tier }];
  for (const [index, part] of parts.entries()) partToEvents(events, index, part);
  if (usage !== undefined) events.push({ type: "usage", usage });
  if (error !== undefined) events.push({ type: "error", error });
  else if (end !== undefined) events.push(end);
  return events;
}

type Delta = Extract<NeutralEvent, { type: "part-delta" }>["delta"];
type Head = Extract<NeutralEvent, { type: "part-start" }>["part"];

/** A part while it grows; written to in place, because a stream has a delta per token. */
interface OpenPart {
  readonly head: Head;
  /** One entry per summary part of reasoning; one in all for the others. */
  texts: string[];
  readonly logprobs: unknown[];
  readonly citations: Citation[];
  encrypted: EncryptedReasoning | undefined;
}

function openPart(head: Head): OpenPart {
  return { head, texts: [], logprobs: [], citations: [], encrypted: undefined };
}

function extend(part: OpenPart | undefined, delta: Delta): void {
  if (part === undefined) return;
  switch (delta.type) {
    case "text":
      for (const logprob of delta.logprobs ?? []) part.logprobs.push(logprob);
      addText(part, delta.text);
      return;
    case "arguments":
      addText(part, delta.text);
      return;
    case "next-summary":
      part.texts.push("");
      return;
    case "encrypted-reasoning":
      part.encrypted = delta.seal;
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

function closePart({
  head,
  texts,
  logprobs,
  citations,
  encrypted: seal,
}: OpenPart): NeutralResponsePart {
  switch (head.type) {
    case "text":
    case "refusal":
      return { type: head.type, text: texts[0] ?? "", logprobs, citations };
    case "reasoning":
      return { type: "reasoning", texts, encrypted: seal };
    case "compaction":
      return { type: "compaction", text: texts[0] ?? "" };
    case "tool-call":
      return { ...head, namespace: head.namespace, arguments: texts[0] ?? "" };
  }
}

type TextResponsePart = Extract<NeutralResponsePart, { type: "text" | "refusal" }>;
type ReasoningResponsePart = Extract<NeutralResponsePart, { type: "reasoning" }>;

function partToEvents(events: NeutralEvent[], index: number, part: NeutralResponsePart): void {
  events.push({ type: "part-start", index, part: headOf(part) });
  for (const delta of deltasOf(part)) events.push({ type: "part-delta", index, delta });
  events.push({ type: "part-end", index });
}

function headOf(part: NeutralResponsePart): Head {
  if (part.type !== "tool-call") return { type: part.type };
  const { type, kind, id, name, namespace } = part;
  return { type, kind, id, name, namespace };
}

function deltasOf(part: NeutralResponsePart): readonly Delta[] {
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

function textDeltas({ text, logprobs, citations }: TextResponsePart): readonly Delta[] {
  const deltas: Delta[] = text === "" ? [] : [{ type: "text", text, logprobs }];
  for (const citation of citations) deltas.push({ type: "citation", citation });
  return deltas;
}

function reasoningDeltas({ texts, encrypted: seal }: ReasoningResponsePart): readonly Delta[] {
  const said = texts.flatMap((text, place): Delta[] => [
    ...(place === 0 ? [] : [{ type: "next-summary" } as const]),
    { type: "text", text },
  ]);
  return seal === undefined ? said : [...said, { type: "encrypted-reasoning", seal }];
}
