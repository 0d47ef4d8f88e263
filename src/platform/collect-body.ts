import { ApiError } from "./errors.ts";
import { minLargeBodyBytes } from "./large-work-turns.ts";
import type { HeldRequestBody } from "./body-memory-budget.ts";

/** Where the bytes of a body come from. */
export interface RequestBodySource {
  on(event: "data", listener: (chunk: Buffer) => void): unknown;
  on(event: "end", listener: () => void): unknown;
}

/** What is known of a body before it arrives. */
export interface RequestBodyCollectionOptions {
  /** Bytes that its head declares; undefined: it does not say. */
  readonly declared: number | undefined;
  /** Bytes that it may have. */
  readonly limit: number;
  readonly held: HeldRequestBody;
  /** It is compressed, so it may be larger than its bytes. */
  readonly isCompressed?: boolean;
}

/** Called once, with an error or with the whole body; never when the caller hangs up. */
export type RequestBodyCallback = (error: unknown, body?: Buffer) => void;

const bytesPerMib = 1024 * 1024;
const nothing = Buffer.alloc(0);

/**
 * Reads a request body into one buffer, which then belongs to the caller. A body that is
 * too large, too slow, or more than can be held ends with an error: 413, 408, 429 or 503.
 * Its bytes are let go at once, and those that still arrive are discarded, so that the
 * sender can read the error. To read a large body takes a moment of the process: such bodies
 * are handed over one by one, those of each holder in turn.
 */
export function collectRequestBody(
  source: RequestBodySource,
  { declared, limit, held, isCompressed = false }: RequestBodyCollectionOptions,
  done: RequestBodyCallback,
): void {
  let body: Buffer = nothing;
  let length = 0;
  let isDone = false;
  const end = (error: unknown, whole?: Buffer): void => {
    if (isDone) return;
    isDone = true;
    body = nothing;
    done(error, whole);
  };
  const take = (chunk: Buffer): void => {
    const needed = length + chunk.length;
    if (needed > limit) throw tooLargeError(limit);
    held.add(chunk.length);
    if (length === 0 && chunk.length === chunk.buffer.byteLength) body = chunk;
    else {
      body = grown(body, length, needed, declared);
      chunk.copy(body, length);
    }
    length = needed;
  };
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      held.release();
      end(error);
    }
  };
  attempt(() => {
    if (declared !== undefined && declared > limit) throw tooLargeError(limit);
    held.begin({ declared, onEnd: end });
  });
  source.on("data", (chunk) => {
    if (!isDone) attempt(() => take(chunk));
  });
  source.on("end", () => {
    if (isDone) return;
    const handOver = (): void => {
      held.finish();
      end(undefined, body.subarray(0, length));
    };
    if (length < minLargeBodyBytes && !isCompressed) handOver();
    else {
      held.finish(end);
      held.takeTurn(handOver);
    }
  });
}

/**
 * Returns a buffer with the first `length` bytes of `body` and room for `needed`. It grows
 * with what arrives, not with what is declared: a sender is not believed. A chunk of HTTP/2
 * is copied even if it is the only one, because it keeps all in memory that was read with it.
 */
function grown(body: Buffer, length: number, needed: number, declared: number | undefined): Buffer {
  if (needed <= body.length) return body;
  const room = Buffer.allocUnsafeSlow(
    Math.max(needed, Math.min(needed * 2, declared ?? Number.POSITIVE_INFINITY)),
  );
  body.copy(room, 0, 0, length);
  return room;
}

function tooLargeError(limit: number): ApiError {
  const isWhole = limit % bytesPerMib === 0;
  const size = isWhole ? `${limit / bytesPerMib} MiB` : `${limit} bytes`;
  return new ApiError("request_too_large", `The body is larger than ${size}; send a smaller one.`);
}
