import type { IncomingHttpHeaders } from "node:http";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import { buildBodylessUpstreamHeaders, type ResolvedUpstream } from "../upstream/call-target.ts";
import {
  sendUpstreamRequestOnce,
  type UpstreamRequestDependencies,
  type UpstreamResponse,
} from "../upstream/send-upstream-request.ts";

/** What a caller asks about an answer that an upstream may keep. */
export interface UpstreamResponseQuery {
  readonly method: "GET" | "POST" | "DELETE";
  readonly id: string;
  /** The response itself, or what of it is asked. */
  readonly part: "" | "/input_items" | "/cancel";
  /** Query of the caller's address with its question mark; empty: it has none. */
  readonly query: string;
  /** Of the caller's request. */
  readonly headers: IncomingHttpHeaders;
  /** Counts what is read whole of an answer, until the request ends. */
  readonly hold: MemoryReserver;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

/** Milliseconds that one upstream may take. */
const limitMs = 5000;

/** Asks one upstream, as its caller asked. Throws an `UpstreamFailureError`. */
export function sendStoredResponseQueryToUpstream(
  dependencies: UpstreamRequestDependencies,
  target: ResolvedUpstream,
  { method, id, part, query, headers, signal }: UpstreamResponseQuery,
): Promise<UpstreamResponse> {
  return sendUpstreamRequestOnce(dependencies, target, {
    method,
    path: `/responses/${id}${part}${query}`,
    headers: buildBodylessUpstreamHeaders(target, headers),
    timeoutMs: limitMs,
    signal,
  });
}

/** Whether the answer to the question is the response object and nothing else. */
export function isWholeResponseQuery({ method, part, query }: UpstreamResponseQuery): boolean {
  const stream = new URLSearchParams(query).get("stream") ?? "false";
  return method === "GET" && part === "" && stream === "false";
}

/** The question for the response object itself. */
export function toWholeUpstreamResponseQuery(
  question: UpstreamResponseQuery,
): UpstreamResponseQuery {
  return isWholeResponseQuery(question)
    ? question
    : { ...question, method: "GET", part: "", query: "" };
}
