import type { IncomingHttpHeaders } from "node:http";
import { bodilessHeaders, type CallTarget } from "../dial/call-target.ts";
import { askUpstream, type AskDependencies, type UpstreamAnswer } from "../dial/ask-upstream.ts";

/** What a caller asks about an answer that an upstream may keep. */
export interface ResponseQuestion {
  readonly method: "GET" | "POST" | "DELETE";
  readonly id: string;
  /** The response itself, or what of it is asked. */
  readonly part: "" | "/input_items" | "/cancel";
  /** Query of the caller's address with its question mark; empty: it has none. */
  readonly query: string;
  /** Of the caller's request. */
  readonly headers: IncomingHttpHeaders;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

/** Milliseconds that one upstream may take. */
const limitMs = 5000;

/** Asks one upstream, as its caller asked. Throws an `UpstreamFailure`. */
export function askAbout(
  dependencies: AskDependencies,
  target: CallTarget,
  { method, id, part, query, headers, signal }: ResponseQuestion,
): Promise<UpstreamAnswer> {
  return askUpstream(dependencies, target, {
    method,
    path: `/responses/${id}${part}${query}`,
    headers: bodilessHeaders(target, headers),
    limitMs,
    signal,
  });
}

/** Whether the answer to the question is the response object and nothing else. */
export function isPlain({ method, part, query }: ResponseQuestion): boolean {
  const stream = new URLSearchParams(query).get("stream") ?? "false";
  return method === "GET" && part === "" && stream === "false";
}

/** The question for the response object itself. */
export function plainQuestion(question: ResponseQuestion): ResponseQuestion {
  return isPlain(question) ? question : { ...question, method: "GET", part: "", query: "" };
}
