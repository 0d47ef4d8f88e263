import { JsonValueScanner } from "../../platform/json-stream/value-scanner.ts";
import { MalformedResponseError, type BufferedValueCounter } from "../codec.ts";
import type { NeutralEvent } from "../neutral-event.ts";
import type { ChatToolCallDelta } from "./read-tool-call.ts";

/** A call whose pieces are coming in. */
interface StreamedCall {
  /** The index that the upstream gave it. */
  readonly given: number | undefined;
  /** Number of its part; undefined: its name, and so its start, has not come. */
  index: number | undefined;
  id: string;
  readonly kind: ChatToolCallDelta["kind"];
  name: string;
  /** Place among the calls of the stream. */
  readonly place: number;
  /** Arguments that wait for the call's name. */
  arguments: string;
  readonly progress: ArgumentsProgress;
}

/** Follows the arguments of a call, to tell whether they are whole. */
interface ArgumentsProgress {
  readonly scanner: JsonValueScanner;
  hasBegun: boolean;
  /** They are no JSON object, list or text, and so never whole. */
  isOther: boolean;
  /** What the scanner has not seen. Most calls have an index, and nothing of them is scanned. */
  unread: string;
}

/** Calls, found by the index that the upstream gave them; the last of several counts. */
class CallIndex {
  #last: StreamedCall | undefined;
  readonly #byGiven = new Map<number | undefined, StreamedCall>();

  add(call: StreamedCall): void {
    this.#last = later(this.#last, call);
    this.#byGiven.set(call.given, call);
  }

  /** Finds the last call that may have the index. A missing index, here or there, fits any. */
  find(index: number | undefined): StreamedCall | undefined {
    if (index === undefined) return this.#last;
    return later(this.#byGiven.get(index), this.#byGiven.get(undefined));
  }
}

function later(
  one: StreamedCall | undefined,
  other: StreamedCall | undefined,
): StreamedCall | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.place > other.place ? one : other;
}

/** The calls of a stream. */
export interface ChatStreamToolCalls {
  /** In the order in which they came up. */
  readonly list: StreamedCall[];
  readonly all: CallIndex;
  readonly byId: Map<string, CallIndex>;
  readonly countKept: BufferedValueCounter | undefined;
}

export function createChatStreamToolCalls(countKept?: BufferedValueCounter): ChatStreamToolCalls {
  return { list: [], all: new CallIndex(), byId: new Map(), countKept };
}

/**
 * Adds a piece to the call that it belongs to. Upstreams leave out the index, or
 * give every call the index 0: then the id tells, then the order.
 */
export function appendChatToolCallDeltaEvents(
  calls: ChatStreamToolCalls,
  piece: ChatToolCallDelta,
  takeIndex: () => number,
  events: NeutralEvent[],
): void {
  const call = callOf(calls, piece) ?? newCall(calls, piece);
  call.progress.unread += piece.arguments;
  if (call.index === undefined) {
    call.name ||= piece.name;
    if (call.id === "") giveId(calls, call, piece.id);
    call.arguments += piece.arguments;
    if (call.name === "") calls.countKept?.(piece);
    else startCall(call, takeIndex(), events);
    return;
  }
  pushArguments(call.index, piece.arguments, events);
}

/** Ends all calls in their order; throws for one that never had a name. */
export function finishChatStreamToolCalls(
  calls: ChatStreamToolCalls,
  events: NeutralEvent[],
): void {
  for (const { index } of calls.list) {
    if (index === undefined) throw new MalformedResponseError("sent a call without a name");
    events.push({ type: "part-end", index });
  }
}

function startCall(call: StreamedCall, index: number, events: NeutralEvent[]): void {
  const { kind, id, name } = call;
  call.index = index;
  events.push({ type: "part-start", index, part: { type: "tool-call", kind, id, name } });
  pushArguments(index, call.arguments, events);
}

function pushArguments(index: number, text: string, events: NeutralEvent[]): void {
  if (text !== "") events.push({ type: "part-delta", index, delta: { type: "arguments", text } });
}

function newCall(calls: ChatStreamToolCalls, piece: ChatToolCallDelta): StreamedCall {
  const { kind, id, name } = piece;
  const call: StreamedCall = {
    given: piece.index,
    index: undefined,
    id,
    kind,
    name,
    place: calls.list.length,
    arguments: "",
    progress: { scanner: new JsonValueScanner(false), hasBegun: false, isOther: false, unread: "" },
  };
  calls.list.push(call);
  calls.all.add(call);
  giveId(calls, call, id);
  return call;
}

function giveId(calls: ChatStreamToolCalls, call: StreamedCall, id: string): void {
  if (id === "") return;
  call.id = id;
  const sameId = calls.byId.get(id) ?? new CallIndex();
  calls.byId.set(id, sameId);
  sameId.add(call);
}

function callOf(calls: ChatStreamToolCalls, piece: ChatToolCallDelta): StreamedCall | undefined {
  // Some servers give one id to several calls and tell them apart by index only.
  const known = calls.byId.get(piece.id)?.find(piece.index);
  if (known !== undefined) return known;
  const last = calls.all.find(piece.index);
  return last === undefined || isAnother(last, piece) ? undefined : last;
}

/** Whether a piece begins a call of its own. A new id without a name may just be a changing id. */
function isAnother(last: StreamedCall, { index, id, name }: ChatToolCallDelta): boolean {
  if (name === "") return false;
  if (id !== "") return last.id !== "" && id !== last.id;
  // Neither index nor id: the name is repeated with every piece, or begins a call.
  return index === undefined && (name !== last.name || isWhole(last.progress));
}

function isWhole(progress: ArgumentsProgress): boolean {
  const text = progress.hasBegun ? progress.unread : progress.unread.trimStart();
  progress.unread = "";
  const { scanner } = progress;
  if (progress.isOther) return false;
  if (text === "") return scanner.isComplete;
  progress.isOther = !progress.hasBegun && !/^["[{]/.test(text);
  progress.hasBegun = true;
  // A number or word comes in one piece.
  if (progress.isOther) return isScalar(text);
  if (!scanner.isComplete) scanner.scan(Buffer.from(text), 0);
  return scanner.isComplete;
}

function isScalar(text: string): boolean {
  return /^(?:true|false|null|-?\d+)\s*$/.test(text);
}
