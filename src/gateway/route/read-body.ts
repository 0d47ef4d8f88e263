import type { IncomingMessage } from "node:http";
import { ApiError, invalidRequest } from "../../platform/errors.ts";

/** Called once, with an error or with the whole body. */
type BodyCallback = (error: Error | null, body?: Buffer) => void;

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
  if (!["identity", undefined].includes(headers["content-encoding"])) {
    return invalidRequest("content-encoding", "The body must not be compressed: send it as it is.");
  }
  const contentType = headers["content-type"];
  if (contentType === undefined || /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType)) {
    return undefined;
  }
  return invalidRequest("content-type", "`content-type` must be `application/json`.");
}

function collect(request: IncomingMessage, limit: number, done: BodyCallback): void {
  const chunks: Buffer[] = [];
  let length = 0;
  let isDone = false;
  const finish = (error: Error | null): void => {
    if (isDone) return;
    isDone = true;
    if (error !== null) done(error);
    else done(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length));
  };
  request.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > limit) finish(tooLarge(limit));
    else chunks.push(chunk);
  });
  request.on("end", () => finish(null));
  request.on("error", finish);
  request.on("close", () => {
    // Also comes after the end, and an error would cost its stack trace.
    if (!isDone) finish(new Error("The caller hung up before the body was whole."));
  });
}

function tooLarge(limit: number): ApiError {
  const mebibytes = limit / 1024 / 1024;
  return new ApiError("request_too_large", `The body is larger than ${mebibytes} MiB.`);
}
