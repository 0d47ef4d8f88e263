import type { HeaderLines } from "./http-text.ts";

/** What decides a request body. */
export interface RequestShape {
  readonly model: string;
  /** Size of the whole JSON body. */
  readonly bytes: number;
  readonly stream: boolean;
  /** Tokens the mock upstream answers with when it streams. */
  readonly maxTokens: number;
}

/**
 * Calls and answers of one dialect, as the mock upstream and the load client
 * exchange them. Every streamed token holds `tokenMark` exactly once and nothing
 * else does, so tokens are counted without taking events apart, transcoded or not.
 */
export interface DialectTraffic {
  /** Below the base address, `/chat/completions` for example. */
  readonly path: string;
  /** The credential as the dialect's official clients send it. */
  credential(key: string): HeaderLines;
  requestBody(shape: RequestShape): string;
  /** A whole JSON answer of 1 KB. */
  readonly answer: string;
  /** Server-sent events: what comes before the tokens, one token, what comes after them. */
  readonly opening: string;
  readonly token: string;
  readonly closing: string;
}
