import { jsonByteCodes } from "../../platform/json-splice/byte.ts";
import {
  removeMemberInPlace,
  expandSpanToWholeMember,
} from "../../platform/json-splice/blank-member.ts";
import { decodeJsonString, type JsonSpan } from "../../platform/json-splice/scan-object.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import { locateNamedMemberSpans } from "../call/read-call-body.ts";
import {
  appendSerializedConversationItems,
  emptySerializedConversation,
  joinSerializedConversationItems,
  type SerializedConversationItems,
} from "./conversation-items.ts";
import type { CachedLastResponse } from "./last-response.ts";

/** A message that asks for a response. */
export interface WebSocketResponseRequest {
  /**
   * Of the same call by POST: streamed, and whole where it went on from what only the connection
   * knows. Without a model to ask, that conversation is left out.
   */
  readonly body: Buffer;
  /** False: no model is asked. */
  readonly isGenerating: boolean;
  /** False: nobody is to keep the answer. */
  readonly isStored: boolean;
  /** It goes on from the answer that the connection remembers. */
  readonly isContinued: boolean;
  /** As in `CachedLastResponse`. */
  readonly previousId: string | undefined;
  /** The conversation, as in `CachedLastResponse`; undefined: the answer need not be remembered. */
  readonly items: SerializedConversationItems | undefined;
}

const members = ["type", "generate", "store", "stream", "previous_response_id", "input"];

const letterF = 0x66;

/**
 * Reads one message; takes the bytes over. Throws 400 for one that is no
 * `response.create`. Beside the members of the WebSocket mode the body stays as it was.
 * `areKept`: answers are kept where the request does not ask for the contrary.
 */
export function parseWebSocketResponseRequest(
  bytes: Buffer,
  last: CachedLastResponse | undefined,
  areKept: boolean,
): WebSocketResponseRequest {
  const [type, generate, store, stream, previous, input] = locateNamedMemberSpans(bytes, members);
  if (type === undefined || textAt(bytes, type, "type") !== "response.create") throw noCreate();
  const asked = textAt(bytes, previous, "previous_response_id");
  const continued = asked === last?.id ? last : undefined;
  const isGenerating = !isFalse(bytes, generate);
  const isStored = !isFalse(bytes, store);
  const isKept = isGenerating && isStored && areKept && continued === undefined;
  const items = isKept
    ? undefined
    : appendSerializedConversationItems(
        continued?.items ?? emptySerializedConversation,
        itemsAt(bytes, input),
      );
  const previousId = continued === undefined ? asked : continued.previousId;
  const replaced =
    continued === undefined ? [generate, stream] : [generate, stream, previous, input];
  for (const value of replaced) if (value !== undefined) removeMemberInPlace(bytes, value);
  const sent = isGenerating ? items : undefined;
  const head = continued === undefined ? [streamed] : headOfContinued(previousId, sent);
  const { start, end } = expandSpanToWholeMember(bytes, type);
  const body = Buffer.concat([bytes.subarray(0, start), ...head, bytes.subarray(end)]);
  const isContinued = continued !== undefined;
  return { body, isGenerating, isStored, isContinued, previousId, items };
}

const streamed = Buffer.from('"stream":true');
const nothing = Buffer.alloc(0);

/** What stands for the reference to an answer that only the connection knows. */
function headOfContinued(
  previousId: string | undefined,
  items: SerializedConversationItems = emptySerializedConversation,
): Buffer[] {
  const previous =
    previousId === undefined ? "" : `,"previous_response_id":${JSON.stringify(previousId)}`;
  return [
    streamed,
    Buffer.from(`${previous},"input":[`),
    ...joinSerializedConversationItems(items),
    Buffer.from("]"),
  ];
}

/** The items of an `input`: what stands in the list, or the one message that a text is. */
function itemsAt(bytes: Buffer, input: JsonSpan | undefined): Buffer {
  if (input === undefined) return nothing;
  const { start, end } = input;
  if (bytes[start] === jsonByteCodes.openBracket) return trim(bytes, start + 1, end - 1);
  if (bytes[start] !== jsonByteCodes.quote) return nothing;
  const text = bytes.toString("utf8", start, end);
  return copyOf(Buffer.from(`{"type":"message","role":"user","content":${text}}`));
}

/** A copy, because the bytes are written into; empty for an empty list. */
function trim(bytes: Buffer, start: number, end: number): Buffer {
  let first = start;
  while (first < end && (bytes[first] ?? 0) <= jsonByteCodes.space) first += 1;
  return first === end ? nothing : copyOf(bytes.subarray(start, end));
}

/** A copy outside the pool of small buffers, where it would retain the whole slab. */
function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** More than any id has; a text of 30 MiB takes a third of a second. */
const maxTextBytes = 4096;

function textAt(bytes: Buffer, value: JsonSpan | undefined, name: string): string | undefined {
  if (value === undefined || bytes[value.start] !== jsonByteCodes.quote) return undefined;
  if (value.end - value.start <= maxTextBytes) return decodeJsonString(bytes, value);
  throw invalidRequestError(name, `\`${name}\` must have at most ${maxTextBytes} bytes.`);
}

function isFalse(bytes: Buffer, value: JsonSpan | undefined): boolean {
  return value !== undefined && bytes[value.start] === letterF;
}

function noCreate(): Error {
  return invalidRequestError("type", "A message must be of `type` `response.create`.");
}
