import { isUtf8 } from "node:buffer";
import { MalformedAnswer } from "../../dialect/codec.ts";
import type { JsonObject } from "../../dialect/json.ts";
import { parseExactObject } from "../../dialect/parse-exact.ts";
import type { Steps } from "../../dialect/step-machine.ts";
import type { TurnEvent } from "../../dialect/turn-event.ts";
import { joinedChunks } from "../../platform/joined-chunks.ts";

/** The largest answer that is read whole. */
const largestBodyBytes = 64 * 1024 * 1024;

/** Reads a body that is one JSON object; `decode` gives its events. Throws `MalformedAnswer`. */
export function wholeBody(
  decode: (body: JsonObject) => readonly TurnEvent[],
): Steps<Buffer, TurnEvent> {
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    push(chunk) {
      length += chunk.length;
      if (length > largestBodyBytes) throw new MalformedAnswer("sent more than can be read");
      chunks.push(chunk);
      return [];
    },
    finish: () => decode(parse(joinedChunks(chunks))),
  };
}

function parse(bytes: Buffer): JsonObject {
  if (!isUtf8(bytes)) throw new MalformedAnswer("sent an answer that is not UTF-8");
  const body = parseObject(bytes.toString());
  if (body === undefined) throw new MalformedAnswer("did not answer with a JSON object");
  return body;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    return parseExactObject(text);
  } catch {
    throw new MalformedAnswer("sent JSON that is broken or cut off");
  }
}
