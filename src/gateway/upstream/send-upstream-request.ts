import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { readBytesWithinLimit } from "../../platform/byte-collector.ts";
import { createCallFailure } from "../call/call-failure.ts";
import type { UpstreamDataMemoryCounter } from "../call/hold-peak.ts";
import type { HttpDispatcherProvider, DialFailureClassifier } from "../ports.ts";
import { convertDialFailure } from "./upstream-failures.ts";
import type { ResolvedUpstream } from "./call-target.ts";
import { UpstreamFailureError } from "./upstream-request-error.ts";

/** What upstreams are asked with. */
export interface UpstreamRequestDependencies {
  readonly dialer: HttpDispatcherProvider;
  readonly classifyDialFailure: DialFailureClassifier;
  /** Milliseconds between two pieces of an answer. */
  readonly idleMs: number;
}

/** A request to an upstream beside the model calls. */
export interface NonCallUpstreamRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below the base address. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body?: Buffer;
  /** Milliseconds until the head of the answer. */
  readonly timeoutMs: number;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

/** An answer whose head has come. */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

/** Asks once, without a retry; a redirect is not followed. Throws an `UpstreamFailureError` when nothing comes back. */
export async function sendUpstreamRequestOnce(
  { dialer, classifyDialFailure: dialFailure, idleMs }: UpstreamRequestDependencies,
  target: ResolvedUpstream,
  { method, path, headers, body, timeoutMs: limitMs, signal }: NonCallUpstreamRequest,
): Promise<UpstreamResponse> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), limitMs);
  try {
    const answer = await dialer.dispatcher(target.poolKey).request({
      origin: target.origin,
      path: target.basePath + path,
      method,
      headers,
      body: body ?? null,
      signal: AbortSignal.any([late.signal, signal]),
      headersTimeout: 0,
      bodyTimeout: idleMs,
    });
    return { status: answer.statusCode, headers: answer.headers, body: answer.body };
  } catch (error) {
    if (late.signal.aborted) throw timeoutError(target, limitMs);
    throw new UpstreamFailureError(convertDialFailure(target.name, dialFailure(error)));
  } finally {
    clearTimeout(timer);
  }
}

function timeoutError({ name }: ResolvedUpstream, limitMs: number): UpstreamFailureError {
  const message = `The upstream \`${name}\` did not answer within ${limitMs / 1000} s.`;
  return new UpstreamFailureError(createCallFailure("upstream_timeout", message));
}

/** The whole body; undefined: it is larger than that. Rejects when it breaks off, or with what `hold` throws. */
export async function readUpstreamResponseBody(
  { body }: UpstreamResponse,
  largestBytes: number,
  hold: UpstreamDataMemoryCounter,
): Promise<Buffer | undefined> {
  return readBytesWithinLimit(body as AsyncIterable<Buffer>, largestBytes, hold);
}

/** Ends an answer of which nothing more is wanted. */
export function discardUpstreamResponse({ body }: { readonly body: Readable | Buffer }): void {
  // The listener takes the error of ending it early.
  if (body instanceof Readable) body.on("error", () => {}).destroy();
}
