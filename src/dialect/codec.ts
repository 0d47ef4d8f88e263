import type { DialectId } from "../platform/configuration/configuration.ts";
import type { SseEvent } from "../platform/sse/stream-event.ts";
import type { ModelCapabilities } from "./capabilities.ts";
import type { CallerFacingError } from "./dialect-error.ts";
import type { JsonObject } from "./json.ts";
import type { ConversionWarningCollector } from "./conversion-warning.ts";
import type { ReasoningEnvelopeSealer } from "./reasoning-envelope.ts";
import type { ToolNameRestoreInfo } from "./restore-info.ts";
import type { CachedReasoningLookup } from "./cached-reasoning.ts";
import type { RunningStreamTransformer } from "./step-machine.ts";
import type { NeutralResponse } from "./neutral-response.ts";
import type { NeutralEvent } from "./neutral-event.ts";
import type { NeutralRequest } from "./neutral-request.ts";

/**
 * One dialect, read and written. Each codec stands alone: it knows its own wire
 * and the neutral turn, and no other dialect. `State` types belong to the codec.
 */
export interface DialectCodec {
  readonly dialect: DialectId;
  /**
   * Reads a caller's body. Throws 400 `invalid_request` with the exact `param`
   * for a known field of a wrong type and for what no dialect could serve.
   * Unknown fields become extras.
   */
  decodeRequest(body: JsonObject, context: RequestDecodingContext): NeutralRequest;
  /**
   * The body for an upstream: deterministic, so that two identical requests give
   * the same bytes. Throws 400 for what would change the meaning of the answer.
   */
  encodeRequest(turn: NeutralRequest, target: TargetEncodingContext): EncodedRequest;
  /** Reads an upstream's whole answer as the events that tell it; throws `MalformedResponseError` for what is none. */
  decodeResponse(body: JsonObject, context: ResponseDecodingContext): readonly NeutralEvent[];
  /** Paths of what is left out of a whole answer, because no other dialect can say it. */
  lostInResponse(body: JsonObject): readonly string[];
  /** The whole answer for a caller. */
  encodeResponse(answer: NeutralResponse, context: ResponseEncodingContext): JsonObject;
  /** Reads an upstream's stream, event by event. Throws `MalformedResponseError`. */
  decodeStream(context: ResponseDecodingContext): StreamDecoder;
  /** Writes a caller's stream as text, blank lines included. */
  encodeStream(context: ResponseEncodingContext): StreamEncoder;
}

/** What reading a caller's request needs. */
export interface RequestDecodingContext {
  readonly warnings: ConversionWarningCollector;
  /** Opens what an earlier answer of the same upstream and model sealed. */
  readonly envelope: ReasoningEnvelopeSealer;
  /** Request headers that belong to the dialect, lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** What a responses caller may refer to; undefined: nothing is kept. */
  readonly stored?: StoredConversationItems | undefined;
  /** What was thought before calls that a chat caller sends back without it; undefined: of no use here. */
  readonly reasoning?: CachedReasoningLookup | undefined;
}

/**
 * Turns that were kept for the caller's account. Items are those of the responses
 * dialect as they were sent and answered, input before output.
 */
export interface StoredConversationItems {
  /** Every item of the conversation up to `previous_response_id`, oldest first; undefined: no such turn. */
  readonly previous: readonly JsonObject[] | undefined;
  /** The item that an `item_reference` names; undefined: there is none. */
  find(itemId: string): JsonObject | undefined;
}

/** What writing an upstream's request needs. */
export interface TargetEncodingContext {
  readonly warnings: ConversionWarningCollector;
  /** The id that the upstream knows. */
  readonly model: string;
  readonly capabilities: ModelCapabilities;
}

export interface EncodedRequest {
  readonly body: JsonObject;
  /** Headers that the dialect needs for this body (`anthropic-version`, `anthropic-beta`): names and values in turn. */
  readonly headers: readonly string[];
  readonly restoreInfo: ToolNameRestoreInfo;
}

/** What reading an upstream's answer needs. */
export interface ResponseDecodingContext {
  /** Stop sequences that were asked for, to tell one from a natural end. */
  readonly stop: readonly string[];
  /** A whole answer needs none: its body was counted when it was read. */
  readonly countKept?: BufferedValueCounter | undefined;
}

/**
 * Counts a value that a decoder keeps of a stream and does not tell at once in an event. Throws
 * what refuses an answer that is too long to be held.
 */
export type BufferedValueCounter = (kept: unknown) => void;

/** What writing a caller's answer needs. */
export interface ResponseEncodingContext {
  /** The request, for what an answer repeats of it. */
  readonly request: NeutralRequest;
  /** The 26 characters that every id of this answer is made from. */
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** Unix seconds of its end: the time of the first asking, and the same ever after. */
  completed(): number;
  readonly envelope: ReasoningEnvelopeSealer;
  /** Estimate of the input, for dialects that tell it before the upstream does. */
  readonly estimatedInput: number;
  /** The caller asked for the conversation in compact form, and for no answer. */
  readonly isCompaction?: boolean;
  readonly echo: ResponseStorageFields;
}

/** What a responses answer repeats, which the gateway and not the caller decided. */
export interface ResponseStorageFields {
  /** The turn is kept for `previous_response_id`. */
  readonly store: boolean;
  readonly previousResponseId: string | undefined;
}

/**
 * A stream being read. `push` takes one event of the upstream; `finish` is the end
 * of its bytes. After `response-end` or `error` nothing more is told. A stream that
 * ends without its dialect's last event tells no `response-end`: it broke off.
 */
export type StreamDecoder = RunningStreamTransformer<SseEvent, NeutralEvent>;

/**
 * A stream being written. `push` gives the frames for an event, `""` for none;
 * the frames for `response-end` are the last. `fail` gives the frames that tell a
 * stream that has begun that it failed, open items closed as the dialect wants.
 */
export interface StreamEncoder {
  push(event: NeutralEvent): string;
  /**
   * In place of `push`, the frames of an event that are large, to be written one after the other:
   * each is made when it is asked for. All of them are to be read before the next event.
   * Returns undefined for an event to `push`.
   */
  largeFrames?(event: NeutralEvent): Iterable<string> | undefined;
  fail(error: CallerFacingError): string;
}

/**
 * An upstream's answer that its own dialect could not have said. The message is
 * what the upstream did, to stand behind its name: `sent an answer without content`.
 */
export class MalformedResponseError extends Error {
  override readonly name = "MalformedResponseError";
}
