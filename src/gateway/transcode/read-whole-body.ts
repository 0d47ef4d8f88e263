import { isUtf8 } from "node:buffer";
import { MalformedResponseError } from "../../dialect/codec.ts";
import type { JsonObject } from "../../dialect/json.ts";
import { exceedsMaxJsonDepth } from "../../dialect/nesting-limit.ts";
import { exceedsMaxUpstreamJsonValues, nestingTooDeepError } from "../../dialect/value-limit.ts";
import { parseLosslessJsonObject } from "../../dialect/parse-exact.ts";
import type { RunningStreamTransformer } from "../../dialect/step-machine.ts";
import type { NeutralEvent } from "../../dialect/neutral-event.ts";
import type { UpstreamDataMemoryCounter } from "../call/hold-peak.ts";
import { estimateParsedBodyMemory } from "../call/parse-call-body.ts";
import { ByteCollector } from "../../platform/byte-collector.ts";

/** The largest answer that is read whole. */
const maxBodyBytes = 64 * 1024 * 1024;

/**
 * Reads a body that is one JSON object; `decode` gives its events. Its text and its values count
 * while they are in memory. Throws `MalformedResponseError`, or what `hold` throws.
 */
export function createWholeBodyDecoder(
  decode: (body: JsonObject) => readonly NeutralEvent[],
  hold: UpstreamDataMemoryCounter,
): RunningStreamTransformer<Buffer, NeutralEvent> {
  const collected = new ByteCollector();
  return {
    push(chunk) {
      const length = collected.length + chunk.length;
      if (length > maxBodyBytes) throw new MalformedResponseError("sent more than can be read");
      hold(length);
      collected.push(chunk);
      return [];
    },
    finish() {
      const bytes = collected.take();
      const values = estimateParsedBodyMemory(bytes);
      if (values === undefined || exceedsMaxUpstreamJsonValues(bytes))
        throw new MalformedResponseError("sent more values than can be read");
      hold(bytes.length + values);
      return decode(parse(bytes));
    },
  };
}

function parse(bytes: Buffer): JsonObject {
  if (!isUtf8(bytes)) throw new MalformedResponseError("sent an answer that is not UTF-8");
  const body = parseObject(bytes.toString());
  if (body === undefined) throw new MalformedResponseError("did not answer with a JSON object");
  return body;
}

function parseObject(text: string): JsonObject | undefined {
  if (exceedsMaxJsonDepth(text)) throw nestingTooDeepError("an answer");
  try {
    return parseLosslessJsonObject(text);
  } catch {
    throw new MalformedResponseError("sent JSON that is broken or cut off");
  }
}
