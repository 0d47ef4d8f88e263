import type { IncomingMessage } from "node:http";
import { ApiError, invalidRequest } from "../../platform/errors.ts";
import { joinedChunks } from "../../platform/joined-chunks.ts";

/** Called once, with a refusal or with the whole body; never when the caller hangs up. */
type BodyCallback = (refusal: ApiError | undefined, body?: Buffer) => void;

const jsonType = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/**
 * Reads a request body into one buffer, which is then the caller's alone: Node
 * copies each piece out of its read buffer. A body that is too large is refused
 * before it is read when its length is declared, else as soon as it shows; what
 * still comes is thrown away, so that the refusal can be read.
 */
export function readBody(request: IncomingMessage, limit: number, done: BodyCallback): void {
  const refusal = refuseByHead(request, limit);
  if (refusal === undefined) collect(request, limit, done);
  else done(refusal);
}

function refuseByHead({ headers }: IncomingMessage, limit: number): ApiError | undefined {
  if (Number(headers["content-length"]) > limit) return tooLarge(limit);
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    return invalidRequest("content-encoding", "The body must not be compressed: send it as it is.");
  }
  const contentType = headers["content-type"];
  if (contentType === undefined || jsonType.test(contentType)) {
    return undefined;
  }
  return invalidRequest("content-type", "`content-type` must be `application/json`.");
}

function collect(request: IncomingMessage, limit: number, done: BodyCallback): void {
  const chunks: Buffer[] = [];
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    const isOver = length > limit;
    length += chunk.length;
    if (length <= limit) chunks.push(chunk);
    else if (!isOver) done(tooLarge(limit));
  });
  request.on("end", () => {
    if (length <= limit) done(undefined, joinedChunks(chunks));
  });
}

function tooLarge(limit: number): ApiError {
  const mebibytes = limit / 1024 / 1024;
  return new ApiError("request_too_large", `The body is larger than ${mebibytes} MiB.`);
}
