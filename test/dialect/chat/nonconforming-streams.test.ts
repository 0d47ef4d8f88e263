import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { neutralEventsToResponse } from "../../../src/dialect/neutral-response.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { someEvents } from "../arbitrary-request.ts";
import { readText, sse, writeAll } from "./contexts.ts";

interface Piece extends JsonObject {
  readonly index: number;
  readonly id?: string;
  readonly function: { readonly name?: string; readonly arguments: string };
}

interface Chunk extends JsonObject {
  readonly choices: readonly { readonly delta: { readonly tool_calls?: readonly Piece[] } }[];
}

/** What a piece of a call looks like from a server of this kind; `first` is the call's first piece. */
type Habit = (piece: Piece, first: Piece) => JsonObject;

const habits: Readonly<Record<string, Habit>> = {
  "as they should be": (piece) => piece,
  "id in every piece": (piece, { id }) => ({ ...piece, id }),
  "id and name in every piece": (piece, { id, function: { name } }) => ({
    ...piece,
    id,
    function: { ...piece.function, name },
  }),
  "no index, id in every piece": ({ index: _index, ...piece }, { id }) => ({ ...piece, id }),
  "index 0, id in every piece": (piece, { id }) => ({ ...piece, index: 0, id }),
  "one id for all": (piece) => (piece.id === undefined ? piece : { ...piece, id: "call" }),
  "no ids": ({ id: _id, ...piece }) => piece,
  "indexes from 1": (piece) => ({ ...piece, index: piece.index + 1 }),
};

function sloppy(stream: string, habit: Habit): string {
  const first = new Map<number, Piece>();
  const chunks = parseEventStreamText(stream).map(({ data }) => {
    if (data === "[DONE]") return data;
    const chunk = JSON.parse(data) as Chunk;
    const choices = chunk.choices.map((choice) => ({
      ...choice,
      delta: mangled(choice.delta, first, habit),
    }));
    return { ...chunk, choices };
  });
  return sse(...chunks);
}

function mangled(
  delta: Chunk["choices"][number]["delta"],
  first: Map<number, Piece>,
  habit: Habit,
): JsonObject {
  if (delta.tool_calls === undefined) return delta;
  const pieces = delta.tool_calls.map((piece) => {
    const known = first.get(piece.index) ?? piece;
    first.set(piece.index, known);
    return habit(piece, known);
  });
  return { ...delta, tool_calls: pieces };
}

/** Names and arguments of the calls, whatever their ids. */
function callsOf(stream: string): unknown {
  return neutralEventsToResponse(readText(stream)).parts.flatMap((part) =>
    part.type === "tool-call" ? [[part.name, part.arguments]] : [],
  );
}

describe("property: calls of servers with habits of their own", () => {
  it.each(Object.entries(habits))(
    "[function.no-index] reads the same calls from a server with the habit: %s",
    (_, habit) => {
      fc.assert(
        fc.property(someEvents({ isChatOrder: true }), ({ events }) => {
          const stream = writeAll(events);
          expect(callsOf(sloppy(stream, habit))).toEqual(callsOf(stream));
        }),
      );
    },
  );
});
