import type { ResponseEncodingContext } from "../../../src/dialect/codec.ts";
import { createResponsesStreamEncoder } from "../../../src/dialect/responses/encode-stream.ts";
import type { NeutralPartHead, NeutralEvent } from "../../../src/dialect/neutral-event.ts";
import type { ReasoningControl } from "../../../src/dialect/neutral-request.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { answerContext, wantsEverything } from "./response-context.ts";

export function streamOf(
  events: readonly NeutralEvent[],
  context: ResponseEncodingContext = answerContext(),
): string {
  const encoder = createResponsesStreamEncoder(context);
  return events.map((event) => encoder.push(event)).join("");
}

export function dataOf(stream: string) {
  return parseEventStreamText(stream).map(({ data }) => JSON.parse(data));
}

export function typesOf(stream: string): readonly string[] {
  return parseEventStreamText(stream).map(({ name = "" }) => name.replace("response.", ""));
}

export function said(index: number, ...texts: readonly string[]): readonly NeutralEvent[] {
  return partOf(index, { type: "text" }, texts);
}

export function called(
  index: number,
  name: string,
  ...texts: readonly string[]
): readonly NeutralEvent[] {
  return partOf(index, { type: "tool-call", kind: "function", id: `call_${index}`, name }, texts);
}

export function thought(index: number, ...texts: readonly string[]): readonly NeutralEvent[] {
  return partOf(index, { type: "reasoning" }, texts);
}

export function partOf(
  index: number,
  part: NeutralPartHead,
  texts: readonly string[],
): readonly NeutralEvent[] {
  const type = part.type === "tool-call" ? "arguments" : "text";
  return [
    { type: "part-start", index, part },
    ...texts.map((text): NeutralEvent => ({ type: "part-delta", index, delta: { type, text } })),
    { type: "part-end", index },
  ];
}

export const start: NeutralEvent = { type: "response-start" };
export const usage: NeutralEvent = {
  type: "usage",
  usage: { input: 7, cacheRead: 2000, output: 50 },
};

export function end(
  reason: "end" | "length" | "refusal" | "tool-calls",
  explanation?: string,
): NeutralEvent {
  return { type: "response-end", reason, raw: undefined, explanation };
}

export function reasoning(control: Partial<ReasoningControl>): ResponseEncodingContext {
  return answerContext({ reasoning: { ...wantsEverything, ...control } });
}

/** What the answers of the property tests are made of. */
export const sealing = {
  kinds: ["function", "custom"],
  hasCitations: true,
  seals: [{ dialect: "dialect_messages", kind: "thinking", signature: "sig" }],
} as const;
