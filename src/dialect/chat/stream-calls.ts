import { MalformedAnswer } from "../codec.ts";
import type { TurnEvent } from "../turn-event.ts";
import type { CallPiece } from "./read-call.ts";

/** A call whose pieces are coming in. */
interface StreamedCall {
  /** The index that the upstream gave it. */
  readonly given: number | undefined;
  /** Number of its part; undefined: its name, and so its start, has not come. */
  index: number | undefined;
  id: string;
  readonly kind: CallPiece["kind"];
  name: string;
  /** All arguments so far. */
  arguments: string;
}

/** The calls of a stream in the order in which they came up. */
export type StreamedCalls = StreamedCall[];

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
export function endCalls(calls: StreamedCalls, events: TurnEvent[]): void {
  for (const { index } of calls) {
    if (index === undefined) throw new MalformedAnswer("sent a call without a name");
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

function newCall(calls: StreamedCalls, piece: CallPiece): StreamedCall {
  const { kind, id, name } = piece;
  const call: StreamedCall = {
    given: piece.index,
    index: undefined,
    id,
    kind,
    name,
    arguments: "",
  };
  calls.push(call);
  return call;
}

function callOf(calls: StreamedCalls, piece: CallPiece): StreamedCall | undefined {
  const known = piece.id === "" ? undefined : calls.findLast((call) => isSame(call, piece));
  if (known !== undefined) return known;
  const last = calls.findLast(({ given }) => mayBe(given, piece.index));
  return last === undefined || isAnother(last, piece) ? undefined : last;
}

/** Some servers give one id to several calls and tell them apart by index only. */
function isSame({ given, id }: StreamedCall, piece: CallPiece): boolean {
  return id === piece.id && mayBe(given, piece.index);
}

function mayBe(given: number | undefined, index: number | undefined): boolean {
  return given === undefined || index === undefined || given === index;
}

/** Whether a piece begins a call of its own. A new id without a name may just be a changing id. */
function isAnother(last: StreamedCall, { index, id, name }: CallPiece): boolean {
  if (name === "") return false;
  if (id !== "") return last.id !== "" && id !== last.id;
  // Neither index nor id: the name is repeated with every piece, or begins a call.
  return index === undefined && (name !== last.name || isWhole(last.arguments));
}

function isWhole(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
