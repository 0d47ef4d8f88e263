import type { JsonObject } from "../../../src/dialect/json.ts";
import { piecesOf } from "./request.ts";

/** The double is sure of each piece of a text, and has as many others as are asked for. */
export function logprobsOf(
  text: string,
  { top_logprobs: most }: JsonObject,
): readonly JsonObject[] {
  return piecesOf(text).map((token) => ({
    ...probable(token, 0),
    top_logprobs: Array.from({ length: Number(most ?? 0) }, (_none, at) =>
      probable(at === 0 ? token : `${token}${at}`, -at),
    ),
  }));
}

function probable(token: string, logprob: number): JsonObject {
  return { token, logprob, bytes: [...Buffer.from(token)] };
}
