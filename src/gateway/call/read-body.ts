import { ApiError, invalidRequest } from "../../platform/errors.ts";
import { declaredLength } from "../../platform/declared-length.ts";
import type { HeldBody } from "../../platform/held-bodies.ts";
import { joinedChunks } from "../../platform/joined-chunks.ts";
import type { CallSource } from "./caller-connection.ts";

/** Called once, with a refusal or with the whole body; never when the caller hangs up. */
type BodyCallback = (refusal: unknown, body?: Buffer) => void;

const jsonType = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/**
 * Reads a request body into one buffer, which is then the caller's alone: Node
 * copies each piece out of its read buffer. A body that is too large, or more than may
 * be held, is refused before it is read when its length is declared, else as soon as
 * it shows; what still comes is thrown away, so that the refusal can be read.
 */
export function readBody(
  request: CallSource,
  limit: number,
  held: HeldBody,
  done: BodyCallback,
): void {
  try {
    const declared = declaredLength(request.headers["content-length"]);
    refuseByHead(request, declared, limit);
    if (declared === undefined) collectUndeclared(request, limit, held, done);
    else collectDeclared(request, declared, held, done);
  } catch (refusal) {
    done(refusal);
  }
}

function refuseByHead({ headers }: CallSource, declared: number | undefined, limit: number): void {
  if (declared !== undefined && declared > limit) throw tooLarge(limit);
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    throw invalidRequest("content-encoding", "The body must not be compressed: send it as it is.");
  }
  const contentType = headers["content-type"];
  if (contentType === undefined || jsonType.test(contentType)) return;
  throw invalidRequest("content-type", "`content-type` must be `application/json`.");
}

/** Most bodies come in one piece; the others go into their place at once. */
function collectDeclared(
  request: CallSource,
  declared: number,
  held: HeldBody,
  done: BodyCallback,
): void {
  held.add(declared);
  let body: Buffer | undefined;
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    if (body === undefined && chunk.length === declared) body = chunk;
    else chunk.copy((body ??= Buffer.allocUnsafeSlow(declared)), length);
    length += chunk.length;
  });
  request.on("end", () => {
    const room = body ?? nothing;
    body = undefined;
    done(undefined, length === room.length ? room : room.subarray(0, length));
  });
}

const nothing = Buffer.alloc(0);

function collectUndeclared(
  request: CallSource,
  limit: number,
  held: HeldBody,
  done: BodyCallback,
): void {
  let chunks: Buffer[] = [];
  let length = 0;
  let isRefused = false;
  request.on("data", (chunk: Buffer) => {
    if (isRefused) return;
    try {
      length += chunk.length;
      if (length > limit) throw tooLarge(limit);
      held.add(chunk.length);
      chunks.push(chunk);
    } catch (refusal) {
      isRefused = true;
      chunks = [];
      done(refusal);
    }
  });
  request.on("end", () => {
    if (!isRefused) done(undefined, joinedChunks(chunks));
    chunks = [];
  });
}

function tooLarge(limit: number): ApiError {
  const mebibytes = limit / 1024 / 1024;
  return new ApiError("request_too_large", `The body is larger than ${mebibytes} MiB.`);
}
