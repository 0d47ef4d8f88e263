import type { SentCall } from "../../dialect/remembered-thoughts.ts";
import type { ReasoningEnvelope } from "../../dialect/reasoning-envelope.ts";
import { AnswerFold, type AnswerPart, type TurnAnswer } from "../../dialect/turn-answer.ts";
import type { TurnEvent } from "../../dialect/turn-event.ts";
import { tap, type Link } from "../relay/stage.ts";

/** Takes the sealed thoughts of an answer and the first call behind them. */
export type RememberThoughts = (call: SentCall, sealed: readonly string[]) => void;

/** Remembers what an answer with tool calls thought, before its caller hears that it is complete. */
export function rememberThoughts(
  envelope: ReasoningEnvelope,
  remember: RememberThoughts,
): Link<readonly TurnEvent[], readonly TurnEvent[]> {
  const notes = new ThoughtNotes(envelope, remember);
  return tap((event) => notes.push(event));
}

/** The thoughts and calls of an answer that is coming in; its words are not noted. */
class ThoughtNotes {
  readonly #envelope: ReasoningEnvelope;
  readonly #remember: RememberThoughts;
  readonly #fold = new AnswerFold();
  #hasCall = false;

  constructor(envelope: ReasoningEnvelope, remember: RememberThoughts) {
    this.#envelope = envelope;
    this.#remember = remember;
  }

  push(event: TurnEvent): void {
    if (event.type === "part-start") this.#start(event);
    else if (event.type === "part-delta") this.#fold.push(event);
    else if (event.type === "turn-end" && this.#hasCall) this.#note(this.#fold.answer());
  }

  /** A delta of a part that was not started is passed over. */
  #start(event: Extract<TurnEvent, { type: "part-start" }>): void {
    const { type } = event.part;
    if (type === "tool-call") this.#hasCall = true;
    if (type === "tool-call" || type === "reasoning") this.#fold.push(event);
  }

  /** A client sends all calls of an answer back, so the first one stands for all. */
  #note({ parts }: TurnAnswer): void {
    const call = parts.find((part) => part.type === "tool-call");
    const sealed = parts.flatMap((part) => this.#sealed(part));
    if (call !== undefined) this.#remember(call, sealed);
  }

  #sealed(part: AnswerPart): readonly string[] {
    if (part.type !== "reasoning" || part.seal === undefined) return [];
    return part.seal.dialect === "dialect_chat" ? [] : [this.#envelope.seal(part.seal, part.texts)];
  }
}
