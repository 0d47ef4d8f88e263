import { JsonSyntaxError } from "../../platform/json-splice/json-syntax-error.ts";
import { decodeString, scanObject, type JsonSpan } from "../../platform/json-splice/scan-object.ts";
import { splicedCopy, spliceBytes } from "../../platform/speed/splice-bytes.ts";
import { ApiError, invalidRequest } from "../../platform/errors.ts";
import { tokensOfInput } from "./embeddings-input.ts";
import { estimatedTokens } from "./text-length.ts";

/** The body of a model call: its bytes, and what the gateway reads of them. */
export interface CallBody {
  readonly bytes: Buffer;
  readonly model: string;
  readonly modelSpan: JsonSpan;
  readonly isStream: boolean;
  /** Tokens of the input, by a quick look at the bytes. */
  readonly estimatedInput: number;
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
const longestModelId = 512;

/**
 * Reads `model` and `stream` and checks that all the rest is JSON. Throws 400
 * `invalid_request` otherwise. No other field is looked at: it is the dialect's.
 */
export function readCallBody(bytes: Buffer): CallBody {
  const [modelSpan, streamSpan] = scanBody(bytes, members);
  const named = readNamed(bytes, modelSpan);
  const isStream = streamSpan !== undefined && readStream(bytes, streamSpan);
  return { ...named, isStream, estimatedInput: estimatedTokens(bytes.length) };
}

/** The same of an embeddings call, which is never streamed: `model`, and how much there is of `input`. */
export function readEmbeddingsBody(bytes: Buffer): CallBody {
  const [modelSpan, inputSpan] = scanBody(bytes, embeddingsMembers);
  const named = readNamed(bytes, modelSpan);
  const estimatedInput = inputSpan === undefined ? 0 : tokensOfInput(bytes, inputSpan);
  return { ...named, isStream: false, estimatedInput };
}

function readNamed(
  bytes: Buffer,
  modelSpan: JsonSpan | undefined,
): Pick<CallBody, "bytes" | "model" | "modelSpan"> {
  if (modelSpan === undefined) throw invalidRequest("model", "`model` is missing.");
  return { bytes, model: readModel(bytes, modelSpan), modelSpan };
}

/** The bytes with another model id; takes the buffer of a body over that is not shared. */
export function withModel(body: CallBody, model: string): Buffer {
  if (model === body.model) return body.bytes;
  const splice = body.isShared === true ? splicedCopy : spliceBytes;
  return splice(body.bytes, body.modelSpan, JSON.stringify(model));
}

/**
 * Places of the named members of a body, in the order of `names`. Throws 400 for
 * one that is given twice: the upstream might take the other.
 */
export function scanBody(bytes: Buffer, names: readonly string[]): (JsonSpan | undefined)[] {
  try {
    return scanObject(bytes, names);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? refusalOf(error) : error;
  }
}

function refusalOf(error: JsonSyntaxError): ApiError {
  const message =
    error.key === undefined
      ? `The body is not a JSON object as it should be: ${error.message}.`
      : `The body gives \`${error.key}\` twice; give it once.`;
  return new ApiError("invalid_request", message, { param: error.key, cause: error });
}

function readModel(bytes: Buffer, span: JsonSpan): string {
  if (bytes[span.start] !== quote) throw invalidRequest("model", "`model` must be a string.");
  const model = decodeString(bytes, span);
  if (model === "") throw invalidRequest("model", "`model` must not be empty.");
  if (model.length > longestModelId) {
    throw invalidRequest("model", `\`model\` must have at most ${longestModelId} characters.`);
  }
  return model;
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
      throw invalidRequest("stream", "`stream` must be `true` or `false`.");
  }
}
