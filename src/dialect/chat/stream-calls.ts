import { MalformedAnswer } from "../codec.ts";
import type { TurnEvent } from "../turn-event.ts";
import type { CallPiece } from "./read-call.ts";

/** A call whose pieces are coming in. */
interface StreamedCall {
  /** Number of its part; undefined: its name, and so its start, has not come. */
  index: number | undefined;
  id: string;
  readonly kind: CallPiece["kind"];
  name: string;
  /** All arguments so far. */
  arguments: string;
}

/** The calls of a stream, by the index that the upstream gave and in their order. */
export interface StreamedCalls {
  readonly byIndex: Map<number, StreamedCall>;
  readonly all: StreamedCall[];
}

export function startCalls(): StreamedCalls {
  return { byIndex: new Map(), all: [] };
}

/**
 * Adds a piece to the call that it belongs to. Upstreams leave out the index, or
 * give every call the index 0: then the id tells, then the order.
 */
export function takeCall(
  calls: StreamedCalls,
  piece: CallPiece,
  takeIndex: () => number,
  events: TurnEvent[],
): void {
  const call = callOf(calls, piece) ?? newCall(calls, piece);
  if (call.index === undefined) {
    call.name ||= piece.name;
    call.id ||= piece.id;
    call.arguments += piece.arguments;
    if (call.name !== "") startCall(call, takeIndex(), events);
    return;
  }
  call.arguments += piece.arguments;
  pushArguments(call.index, piece.arguments, events);
}

/** Ends all calls in their order; throws for one that never had a name. */
export function endCalls({ all }: StreamedCalls, events: TurnEvent[]): void {
  for (const { index } of all) {
    if (index === undefined) throw new MalformedAnswer("The upstream sent a call without a name.");
    events.push({ type: "part-end", index });
  }
}

function startCall(call: StreamedCall, index: number, events: TurnEvent[]): void {
  const { kind, id, name } = call;
  call.index = index;
  events.push({ type: "part-start", index, part: { type: "tool-call", kind, id, name } });
  pushArguments(index, call.arguments, events);
}

function pushArguments(index: number, text: string, events: TurnEvent[]): void {
  if (text !== "") events.push({ type: "part-delta", index, delta: { type: "arguments", text } });
}

function newCall({ byIndex, all }: StreamedCalls, piece: CallPiece): StreamedCall {
  const { kind, id, name } = piece;
  const call: StreamedCall = { index: undefined, id, kind, name, arguments: "" };
  all.push(call);
  if (piece.index !== undefined) byIndex.set(piece.index, call);
  return call;
}

function callOf({ byIndex, all }: StreamedCalls, piece: CallPiece): StreamedCall | undefined {
  if (piece.index !== undefined) {
    const call = byIndex.get(piece.index);
    return call !== undefined && isAnother(call, piece) ? undefined : call;
  }
  const last = all.at(-1);
  if (piece.id === "") return last !== undefined && beginsAnew(last, piece) ? undefined : last;
  return all.find(({ id }) => id === piece.id) ?? (piece.name === "" ? last : undefined);
}

/** An index that is used again begins with a new id and a name; an id alone may just rotate. */
function isAnother(call: StreamedCall, { id, name }: CallPiece): boolean {
  return id !== "" && name !== "" && call.id !== "" && id !== call.id;
}

/** Without index and id, a name begins a call unless it repeats the one that is being told. */
function beginsAnew(last: StreamedCall, { name }: CallPiece): boolean {
  if (name === "") return false;
  return name !== last.name || isWhole(last.arguments);
}

function isWhole(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
