import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { failure } from "../call/call-failure.ts";
import type { CallDialer, ReadDialFailure } from "../ports.ts";
import { dialFailureOf } from "./dial-failures.ts";
import type { CallTarget } from "./call-target.ts";
import { UpstreamFailure } from "./upstream-failure.ts";

/** What upstreams are asked with. */
export interface AskDependencies {
  readonly dialer: CallDialer;
  readonly dialFailure: ReadDialFailure;
  /** Milliseconds between two pieces of an answer. */
  readonly idleMs: number;
}

/** A request to an upstream beside the model calls. */
export interface UpstreamQuestion {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below the base address. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body?: Buffer;
  /** Milliseconds until the head of the answer. */
  readonly limitMs: number;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

/** An answer whose head has come. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

/** Asks once, without a retry; a redirect is not followed. Throws an `UpstreamFailure` when nothing comes back. */
export async function askUpstream(
  { dialer, dialFailure, idleMs }: AskDependencies,
  target: CallTarget,
  { method, path, headers, body, limitMs, signal }: UpstreamQuestion,
): Promise<UpstreamAnswer> {
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
    if (late.signal.aborted) throw tooLate(target, limitMs);
    throw new UpstreamFailure(dialFailureOf(target.name, dialFailure(error)));
  } finally {
    clearTimeout(timer);
  }
}

function tooLate({ name }: CallTarget, limitMs: number): UpstreamFailure {
  const message = `The upstream \`${name}\` did not answer within ${limitMs / 1000} s.`;
  return new UpstreamFailure(failure("upstream_timeout", message));
}

/** The whole body; undefined: it is larger than that. Rejects when it breaks off. */
export async function readAnswer(
  { body }: UpstreamAnswer,
  largestBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += (chunk as Buffer).length;
    if (length > largestBytes) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** Ends an answer of which nothing more is wanted. */
export function dropAnswer({ body }: { readonly body: Readable | Buffer }): void {
  // The listener takes the error of ending it early.
  if (body instanceof Readable) body.on("error", () => {}).destroy();
}
