import { dialects } from "../wire/dialects.ts";
import { chunk, jsonAnswer, lastChunk, streamHead } from "../wire/http-text.ts";
import type { DialectTraffic } from "../wire/traffic.ts";
import type { StreamScript } from "./token-stream.ts";

/** Everything the mock upstream ever writes for one path, as bytes. */
export interface PreparedAnswer {
  /** The whole answer that is not streamed. */
  readonly whole: Buffer;
  readonly stream: StreamScript;
}

function prepare(traffic: DialectTraffic): PreparedAnswer {
  const opening = streamHead() + chunk(traffic.opening);
  return {
    whole: Buffer.from(jsonAnswer(traffic.answer)),
    stream: {
      firstToken: Buffer.from(opening + chunk(traffic.token)),
      token: Buffer.from(chunk(traffic.token)),
      end: Buffer.from(chunk(traffic.closing) + lastChunk),
    },
  };
}

const prepared = Object.values(dialects).map((traffic) => ({
  path: traffic.path,
  answer: prepare(traffic),
}));

/** The list of the one model, for every path that is no dialect's. */
export const modelList = Buffer.from(
  jsonAnswer(JSON.stringify({ object: "list", data: [{ id: "mock", object: "model" }] })),
);

/** The answer of the dialect that the path belongs to. */
export function preparedAnswer(path: string): PreparedAnswer | undefined {
  return prepared.find((known) => path.endsWith(known.path))?.answer;
}
