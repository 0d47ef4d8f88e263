import { MIMEType } from "node:util";
import { ApiError, invalidRequestError } from "../../platform/errors.ts";
import { isProtobufJsonObject } from "../../contract/json/decode-json.ts";

/**
 * How deep a body may nest. JSON.parse takes any depth, but recursive code walks
 * the value later (decoding, validation, serialisers).
 */
const maximumDepth = 64;

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Parses a request body. Undefined for an empty one, whatever its content type.
 * A repeated member name counts with its last value, as in every JavaScript
 * parser, and `__proto__` is a name like any other.
 */
export function parseJsonBody(
  body: Uint8Array | undefined,
  contentType: string | undefined,
): unknown {
  const bytes = getJsonTypedBodyBytes(body, contentType);
  if (bytes === undefined) return undefined;
  const json = parse(bytes);
  assertDepth(json);
  return json;
}

/** The bytes of a body that says it is JSON; whether it is, its reader sees. Undefined for an empty one. */
export function getJsonTypedBodyBytes(
  body: Uint8Array | undefined,
  contentType: string | undefined,
): Uint8Array | undefined {
  if (body === undefined || body.length === 0) return undefined;
  assertJsonContentType(contentType);
  return body;
}

/** `application/json`, and `application/merge-patch+json` and its like, in UTF-8. */
function assertJsonContentType(contentType = ""): void {
  if (contentType === "application/json" || isJsonInUtf8(contentType)) return;
  throw invalidRequestError(
    "content-type",
    "The body must be sent as `content-type: application/json`.",
  );
}

function isJsonInUtf8(contentType: string): boolean {
  try {
    const { essence, params } = new MIMEType(contentType);
    const charset = params.get("charset")?.toLowerCase() ?? "utf-8";
    return /^application\/(?:.+\+)?json$/.test(essence) && /^utf-?8$/.test(charset);
  } catch {
    return false;
  }
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(strictUtf8.decode(body));
  } catch (cause) {
    throw new ApiError("invalid_request", "The body is not valid JSON in UTF-8.", { cause });
  }
}

function assertDepth(json: unknown): void {
  if (!isDeeperThan(json, maximumDepth)) return;
  const deepest = isProtobufJsonObject(json)
    ? Object.keys(json).find((name) => isDeeperThan(json[name], maximumDepth - 1))
    : undefined;
  const message = `The body nests deeper than ${maximumDepth.toString()} levels.`;
  throw new ApiError("invalid_request", message, { param: deepest });
}

function isDeeperThan(json: unknown, levels: number): boolean {
  if (typeof json !== "object" || json === null) return false;
  if (levels === 0) return true;
  for (const member of Object.values(json)) {
    if (isDeeperThan(member, levels - 1)) return true;
  }
  return false;
}
