import { ByteCollector } from "../../platform/byte-collector.ts";
import { asObject, type JsonObject } from "../../dialect/json.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { CallerResponse } from "../call/caller-response.ts";
import { parseEventStreamText } from "../../platform/sse/read-events.ts";
import { extractTokenUsageFromEvents } from "../call/extract-usage.ts";
import type { StreamStageFactory, StreamStage } from "./stage.ts";

/**
 * Whether a chat stream has to be asked for its usage: it is paid by what it
 * tells, and its caller did not ask.
 */
export function needsStreamUsageOption(body: JsonObject): boolean {
  return body["stream"] === true && asObject(body["stream_options"])?.["include_usage"] !== true;
}

/** The member of a chat body that asks for it, beside the options that its caller gave. */
export function buildStreamUsageOption(body: JsonObject): JsonObject {
  return { stream_options: { ...asObject(body["stream_options"]), include_usage: true } };
}

/** A frame larger than this is no usage frame: it is passed on. */
const maxBufferedBytes = 256 * 1024;

/**
 * Takes the usage frame out of a chat stream whose caller did not ask for it:
 * the one without choices. Every other frame goes on as it is.
 */
export function createUsageHidingStage(answer: CallerResponse): StreamStageFactory<Buffer, Buffer> {
  return (next) => new UsageHider(next, answer);
}

class UsageHider implements StreamStage<Buffer> {
  readonly #next: StreamStage<Buffer>;
  readonly #response: CallerResponse;
  readonly #rest = new ByteCollector();

  constructor(next: StreamStage<Buffer>, answer: CallerResponse) {
    this.#next = next;
    this.#response = answer;
  }

  push(chunk: Buffer): boolean {
    const seen = this.#rest.length;
    this.#rest.push(chunk);
    const { length } = this.#rest;
    const end = endOfFrames(this.#rest.bytes, seen);
    const isTooLarge = length - end > maxBufferedBytes;
    if (end === 0 && !isTooLarge) return true;
    const bytes = this.#rest.take();
    const whole = isTooLarge ? length : end;
    if (whole < length) this.#rest.push(bytes.subarray(whole));
    const passed = isTooLarge ? bytes : this.#withoutUsage(bytes.subarray(0, whole));
    return passed.length === 0 || this.#next.push(passed);
  }

  finish(): void {
    const last = this.#withoutUsage(this.#rest.take());
    if (last.length > 0) this.#next.push(last);
    this.#next.finish();
  }

  fail(cause: CallFailure): void {
    this.#next.fail(cause);
  }

  /** Latin-1 keeps every byte as it is. */
  #withoutUsage(frames: Buffer): Buffer {
    if (!frames.includes('"usage"')) return frames;
    const kept = frames
      .toString("latin1")
      .split(/(?<=\r?\n\r?\n)/)
      .filter((frame) => !this.#isUsage(frame));
    return Buffer.from(kept.join(""), "latin1");
  }

  #isUsage(frame: string): boolean {
    if (!noChoices.test(frame) || !someUsage.test(frame)) return false;
    const { choices, usage } = chunkOf(frame);
    if (!Array.isArray(choices) || choices.length > 0 || asObject(usage) === undefined)
      return false;
    this.#response.usage = extractTokenUsageFromEvents("dialect_chat", frame);
    return true;
  }
}

/** The chunk that a frame holds; empty for anything else. */
function chunkOf(frame: string): JsonObject {
  const [event] = parseEventStreamText(`${frame}\n\n`);
  try {
    return asObject(JSON.parse(event?.data ?? "")) ?? {};
  } catch {
    return {};
  }
}

/** Where the last blank line of the bytes ends; 0: none does. None ends within the first `seen`. */
function endOfFrames(bytes: Buffer, seen: number): number {
  const from = Math.max(0, seen - 3);
  const fresh = bytes.subarray(from);
  const [feeds, carriages] = [fresh.lastIndexOf("\n\n"), fresh.lastIndexOf("\r\n\r\n")];
  const end = Math.max(feeds === -1 ? 0 : feeds + 2, carriages === -1 ? 0 : carriages + 4);
  return end === 0 ? 0 : from + end;
}

const noChoices = /"choices"\s*:\s*\[\s*\]/;
const someUsage = /"usage"\s*:\s*\{/;
