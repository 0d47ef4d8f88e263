import { asObject, type JsonObject } from "../../dialect/json.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { Answer } from "../call/answer.ts";
import { readEvents } from "../../platform/sse/read-events.ts";
import { usageInEvents } from "../call/usage-in-text.ts";
import type { Link, Stage } from "./stage.ts";

/**
 * Whether a chat stream has to be asked for its usage: it is paid by what it
 * tells, and its caller did not ask.
 */
export function lacksUsageOption(body: JsonObject): boolean {
  return body["stream"] === true && asObject(body["stream_options"])?.["include_usage"] !== true;
}

/** The member of a chat body that asks for it, beside the options that its caller gave. */
export function usageOption(body: JsonObject): JsonObject {
  return { stream_options: { ...asObject(body["stream_options"]), include_usage: true } };
}

/** A frame larger than this is no usage frame: it is passed on. */
const heldBytesAtMost = 256 * 1024;

/**
 * Takes the usage frame out of a chat stream whose caller did not ask for it:
 * the one without choices. Every other frame goes on as it is.
 */
export function hideUsage(answer: Answer): Link<Buffer, Buffer> {
  return (next) => new UsageHider(next, answer);
}

class UsageHider implements Stage<Buffer> {
  readonly #next: Stage<Buffer>;
  readonly #answer: Answer;
  #rest: Buffer = Buffer.alloc(0);

  constructor(next: Stage<Buffer>, answer: Answer) {
    this.#next = next;
    this.#answer = answer;
  }

  push(chunk: Buffer): boolean {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = endOfFrames(bytes);
    const isTooLarge = bytes.length - end > heldBytesAtMost;
    const whole = isTooLarge ? bytes.length : end;
    this.#rest = bytes.subarray(whole);
    const passed = isTooLarge ? bytes : this.#withoutUsage(bytes.subarray(0, whole));
    return passed.length === 0 || this.#next.push(passed);
  }

  finish(): void {
    const last = this.#withoutUsage(this.#rest);
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
    this.#answer.usage = usageInEvents("dialect_chat", frame);
    return true;
  }
}

/** The chunk that a frame holds; empty for anything else. */
function chunkOf(frame: string): JsonObject {
  const [event] = readEvents(`${frame}\n\n`);
  try {
    return asObject(JSON.parse(event?.data ?? "")) ?? {};
  } catch {
    return {};
  }
}

/** Where the last blank line of the bytes ends. */
function endOfFrames(bytes: Buffer): number {
  const [feeds, carriages] = [bytes.lastIndexOf("\n\n"), bytes.lastIndexOf("\r\n\r\n")];
  return Math.max(feeds === -1 ? 0 : feeds + 2, carriages === -1 ? 0 : carriages + 4);
}

const noChoices = /"choices"\s*:\s*\[\s*\]/;
const someUsage = /"usage"\s*:\s*\{/;
