import type { JsonObject } from "../../dialect/json.ts";
import type { TurnEvent } from "../../dialect/turn-event.ts";
import type { OpaquePart, Turn } from "../../dialect/turn.ts";
import type { Dialect } from "../../platform/configuration/configuration.ts";
import type { AnswerSource } from "./answer-source.ts";

/**
 * The turn of the dial that goes on with a paused answer: the upstream's own
 * words stand at its end, as it sent them.
 */
export function continuedTurn(turn: Turn, dialect: Dialect, said: readonly JsonObject[]): Turn {
  const path = `messages[${turn.messages.length}]`;
  const parts = said.map((raw): OpaquePart => ({ type: "opaque", path, dialect, name: "", raw }));
  return { ...turn, messages: [...turn.messages, { path, role: "assistant", parts }] };
}

/** Parts are numbered behind those that the caller has, and the answer does not start again. */
export function continuedSource(source: AnswerSource, offset: number): AnswerSource {
  const renumber = (events: readonly TurnEvent[]): TurnEvent[] =>
    events.filter(({ type }) => type !== "turn-start").map((event) => shifted(event, offset));
  return {
    push: (chunk) => renumber(source.push(chunk)),
    finish: () => renumber(source.finish()),
  };
}

function shifted(event: TurnEvent, offset: number): TurnEvent {
  return "index" in event ? { ...event, index: event.index + offset } : event;
}
