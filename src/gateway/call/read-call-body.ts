import type { JsonObject } from "../../dialect/json.ts";
import { JsonSyntaxError } from "../../platform/json-splice/json-syntax-error.ts";
import {
  decodeJsonString,
  validateAndFindMemberSpans,
  type JsonSpan,
} from "../../platform/json-splice/scan-object.ts";
import { spliceBytesIntoCopy, spliceBytesInPlace } from "../../platform/speed/splice-bytes.ts";
import { ApiError, invalidRequestError } from "../../platform/errors.ts";
import { estimateEmbeddingsTokens } from "./embeddings-tokens.ts";
import { estimateTextTokens } from "./text-length.ts";

/** The body of a model call: its bytes, and what the gateway reads of them. */
export interface CallRequestBody {
  readonly bytes: Buffer;
  readonly model: string;
  readonly modelSpan: JsonSpan;
  readonly isStream: boolean;
  /** Tokens of the input, by a quick look at the bytes. */
  readonly estimatedInput: number;
  /** The members, where the bytes were parsed before. */
  readonly parsed?: JsonObject | undefined;
  /** Another target may need the bytes too: they are not written into. */
  readonly isShared?: boolean;
}

const quote = 0x22;
const letterF = 0x66;
const letterN = 0x6e;
const letterT = 0x74;

/** The members that decide something. */
const members = ["model", "stream"];
const embeddingsMembers = ["model", "input"];

/** No model has a longer id; the id is matched against patterns and logged. */
const maxModelIdLength = 512;

/** Bytes of the longest id with its quotes, where each character is escaped: a longer one is not decoded. */
const maxModelBytes = 6 * maxModelIdLength + 2;

/**
 * Reads `model` and `stream` and checks that all the rest is JSON. Throws 400
 * `invalid_request` otherwise. No other field is looked at: it is the dialect's.
 */
export function scanCallBody(bytes: Buffer): CallRequestBody {
  const [modelSpan, streamSpan] = locateNamedMemberSpans(bytes, members);
  const named = readNamed(bytes, modelSpan);
  const isStream = streamSpan !== undefined && readStream(bytes, streamSpan);
  return { ...named, isStream, estimatedInput: estimateTextTokens(bytes.length) };
}

/** The same of an embeddings call, which is never streamed: `model`, and how much there is of `input`. */
export function scanEmbeddingsBody(bytes: Buffer): CallRequestBody {
  const [modelSpan, inputSpan] = locateNamedMemberSpans(bytes, embeddingsMembers);
  const named = readNamed(bytes, modelSpan);
  const estimatedInput = inputSpan === undefined ? 0 : estimateEmbeddingsTokens(bytes, inputSpan);
  return { ...named, isStream: false, estimatedInput };
}

function readNamed(
  bytes: Buffer,
  modelSpan: JsonSpan | undefined,
): Pick<CallRequestBody, "bytes" | "model" | "modelSpan"> {
  if (modelSpan === undefined) throw invalidRequestError("model", "`model` is missing.");
  return { bytes, model: readModel(bytes, modelSpan), modelSpan };
}

/** The bytes with another model id; takes the buffer of a body over that is not shared. */
export function replaceBodyModel(body: CallRequestBody, model: string): Buffer {
  if (model === body.model) return body.bytes;
  const splice = body.isShared === true ? spliceBytesIntoCopy : spliceBytesInPlace;
  return splice(body.bytes, body.modelSpan, JSON.stringify(model));
}

/**
 * Places of the named members of a body, in the order of `names`. Throws 400 for
 * one that is given twice: the upstream might take the other.
 */
export function locateNamedMemberSpans(
  bytes: Buffer,
  names: readonly string[],
): (JsonSpan | undefined)[] {
  try {
    return validateAndFindMemberSpans(bytes, names);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? refusalOf(error) : error;
  }
}

/** Returns a body with only the named members of another. Throws 400 for a name that is given twice. */
export function buildBodyWithOnlyMembers(bytes: Buffer, names: readonly string[]): Buffer {
  const spans = locateNamedMemberSpans(bytes, names);
  const members = names.flatMap((name, index) => {
    const span = spans[index];
    if (span === undefined) return [];
    return [Buffer.from(`,${JSON.stringify(name)}:`), bytes.subarray(span.start, span.end)];
  });
  const [first = nothing, ...rest] = members;
  return Buffer.concat([openBrace, first.subarray(1), ...rest, closeBrace]);
}

const nothing = Buffer.alloc(0);
const openBrace = Buffer.from("{");
const closeBrace = Buffer.from("}");

/** A longer member than this decides nothing: a session key, an id and a number are shorter. */
const maxSmallBytes = 64 * 1024;

/**
 * Returns the values of the named members of a body. A member of more than 64 KiB is not parsed and
 * counts as absent. Throws 400 for a name that is given twice.
 */
export function parseSmallJsonMembers(bytes: Buffer, names: readonly string[]): JsonObject {
  const spans = locateNamedMemberSpans(bytes, names);
  const members: Record<string, unknown> = {};
  for (const [index, name] of names.entries()) {
    const span = spans[index];
    if (span === undefined || span.end - span.start > maxSmallBytes) continue;
    members[name] = JSON.parse(bytes.toString("utf8", span.start, span.end));
  }
  return members;
}

function refusalOf(error: JsonSyntaxError): ApiError {
  const message =
    error.key === undefined
      ? `The body is not a JSON object as it should be: ${error.message}.`
      : `The body gives \`${error.key}\` twice; give it once.`;
  return new ApiError("invalid_request", message, { param: error.key, cause: error });
}

function readModel(bytes: Buffer, span: JsonSpan): string {
  if (bytes[span.start] !== quote) throw invalidRequestError("model", "`model` must be a string.");
  if (span.end - span.start > maxModelBytes) throw modelTooLongError();
  const model = decodeJsonString(bytes, span);
  if (model === "") throw invalidRequestError("model", "`model` must not be empty.");
  if (model.length > maxModelIdLength) throw modelTooLongError();
  return model;
}

function modelTooLongError(): ApiError {
  const most = `${maxModelIdLength} characters`;
  return invalidRequestError("model", `\`model\` must have at most ${most}.`);
}

/** The first byte tells the word, since the scan has checked it. The vendors take `null` for the default. */
function readStream(bytes: Buffer, span: JsonSpan): boolean {
  switch (bytes[span.start]) {
    case letterT:
      return true;
    case letterF:
    case letterN:
      return false;
    default:
      throw invalidRequestError("stream", "`stream` must be `true` or `false`.");
  }
}
