import type { Readable } from "node:stream";
import { Code, ConnectError } from "@connectrpc/connect";
import type { FastifyInstance } from "fastify";
import { collectRequestBody, type RequestBodyCollectionOptions } from "../platform/collect-body.ts";
import { parseContentLength } from "../platform/declared-length.ts";
import { resolveRequestBodyMemoryOwner } from "../platform/body-holder.ts";
import { type RequestBodyMemoryBudget } from "../platform/body-memory-budget.ts";
import type { HttpRequestScope } from "./request-scope.ts";

/** Counts the body of a request that was let in, from its first byte to the end of the request. */
export function reserveRequestBodyMemory(
  bodies: RequestBodyMemoryBudget,
  scope: HttpRequestScope,
): void {
  scope.bodyAllocation = bodies.allocate(
    resolveRequestBodyMemoryOwner(scope.principal, scope.address),
    scope.response,
  );
}

/**
 * Makes the routes of a scope take bodies as bytes, those of any content type if omitted. Bodies are counted, and limited to
 * the `bodyLimit` of their route. Call `reserveRequestBodyMemory` before a body is read.
 */
export function registerRawBodyParser(scope: FastifyInstance, contentType = "*"): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(contentType, (request, payload, done) => {
    const declared = parseContentLength(request.headers["content-length"]);
    const { bodyLimit: limit } = request.routeOptions;
    const body = { declared, limit, held: heldBodyOf(request.scope) };
    collectRequestBody(payload, body, (error, bytes) => done(error as Error | null, bytes));
  });
}

/** What is known of the body of an RPC before it is read. */
export interface IncomingRpcBodyInfo {
  readonly contentLength: string | undefined;
  readonly isCompressed: boolean;
  readonly limit: number;
  /** Whether it is a stream of messages, which are taken as they arrive. */
  readonly isStream: boolean;
}

/**
 * Returns the body of a request that is let in before it is iterated over. A stream that has
 * to give way is destroyed; any other body ends with an error while its request stays whole.
 */
export async function* readBodyWithinBudget(
  body: Readable,
  scope: HttpRequestScope,
  { contentLength, limit, isCompressed, isStream }: IncomingRpcBodyInfo,
): AsyncIterable<Uint8Array> {
  const declared = parseContentLength(contentLength);
  if (isStream) yield* countChunkBytes(body, scope, declared);
  else yield await wholeBody(body, scope, { declared, limit, isCompressed });
}

async function* countChunkBytes(
  body: Readable,
  scope: HttpRequestScope,
  declared: number | undefined,
): AsyncIterable<Uint8Array> {
  const held = heldBodyOf(scope);
  held.begin({ declared, onEnd: (reason) => body.destroy(reason), isPaced: false });
  const chunks: AsyncIterable<Buffer> = body.iterator({ destroyOnReturn: false });
  try {
    for await (const chunk of chunks) {
      held.add(chunk.length);
      yield chunk;
    }
  } finally {
    // Callers that send all of a body before they read its answer would wait for ever.
    body.resume();
  }
}

function wholeBody(
  body: Readable,
  scope: HttpRequestScope,
  expected: Omit<RequestBodyCollectionOptions, "held">,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Nobody hears the answer to a body that broke off, but its call is to end.
    const broke = (): void => reject(new ConnectError("The body broke off.", Code.Aborted));
    body.once("error", broke).once("close", broke);
    collectRequestBody(body, { ...expected, held: heldBodyOf(scope) }, (error, bytes) => {
      if (bytes === undefined) reject(error);
      else resolve(bytes);
    });
  });
}

function heldBodyOf({ bodyAllocation: held }: HttpRequestScope) {
  if (held === undefined) throw new Error("the body is read before its request was let in");
  return held;
}
