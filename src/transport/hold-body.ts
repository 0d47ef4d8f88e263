import type { IncomingMessage } from "node:http";
import { Transform, type Readable } from "node:stream";
import { declaredLength } from "../platform/declared-length.ts";
import { ApiError } from "../platform/errors.ts";
import type { HeldBodies, HeldBody } from "../platform/held-bodies.ts";
import type { RequestScope } from "./request-scope.ts";

/**
 * Counts the body of a request among those that the process holds, before it is read:
 * all of it where its length is declared, of which nothing beyond `limit` is ever read.
 * It is given back when the request has ended. Throws 429 or 503 when it is too much.
 */
export function holdBody(
  bodies: HeldBodies,
  scope: RequestScope,
  contentLength: string | null | undefined,
  limit: number,
): void {
  const held = bodies.open(holderOf(scope));
  scope.held = held;
  const declared = declaredLength(contentLength);
  if (declared !== undefined) held.add(Math.min(declared, limit));
}

/** A caller is its key or its session, and without either its address. */
function holderOf({ principal, address }: RequestScope): string {
  switch (principal?.kind) {
    case "key":
      return principal.keyId;
    case "session":
      return principal.sessionId;
    default:
      return address;
  }
}

/** The body of a request; one of unknown length counts as it arrives, and ends with the refusal. */
export function countedStream(
  headers: IncomingMessage["headers"],
  body: Readable,
  held: HeldBody,
): Readable {
  if (declaredLength(headers["content-length"]) !== undefined) return body;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        held.add(chunk.length);
        done(null, chunk);
      } catch (refusal) {
        done(refusal as Error);
      }
    },
  });
  body.once("error", (error) => counted.destroy(error));
  counted.once("error", () => body.resume());
  return body.pipe(counted);
}

/**
 * The same for whoever iterates over a body, once the request was let in; `errorOf`
 * makes the error that ends it. The request stays whole, so that it can be answered.
 */
export async function* countedChunks(
  body: Readable,
  scope: RequestScope,
  errorOf: (refusal: ApiError) => Error,
): AsyncIterable<Uint8Array> {
  const chunks: AsyncIterable<Buffer> = body.iterator({ destroyOnReturn: false });
  try {
    for await (const chunk of chunks) {
      scope.held?.add(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof ApiError ? errorOf(error) : error;
  } finally {
    // Callers that send all of a body before they read its answer would wait for ever.
    body.resume();
  }
}
