import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "@bufbuild/protobuf";
import { CallError } from "../call-error.ts";
import { nameOfEntry } from "./har-reader.ts";
import type { PostTraffic } from "./post-traffic.ts";
import type { TrafficPart } from "./traffic-part.ts";

/** Milliseconds to wait before a part is sent again to a server that has no time for it. */
const pauses = [500, 1000, 2000, 4000, 8000];

/** What a server refuses for a while. An equal entry counts once, so that sending again does no harm. */
const passingCodes = new Set<string | undefined>(["rate_limited", "unavailable"]);

/** Sends parts of a capture, one after the other, and counts what was learned. */
export class TrafficSender {
  readonly #post: PostTraffic;
  readonly #tooLarge: number[] = [];
  /** Bytes of the smallest entry that the server refused for its size: none that is larger is sent. */
  #refusedBytes = Number.POSITIVE_INFINITY;
  #parts = 0;
  #entries = 0;
  #service: JsonObject = {};

  constructor(post: PostTraffic) {
    this.#post = post;
  }

  /** Parts that were learned from. */
  get parts(): number {
    return this.#parts;
  }

  /** Entries in them. */
  get entries(): number {
    return this.#entries;
  }

  /** Places of entries that are larger than any body that the server takes. */
  get tooLarge(): readonly number[] {
    return this.#tooLarge;
  }

  /** What the server knows of the service after the last part. */
  get service(): JsonObject {
    return this.#service;
  }

  /** Rejects with a `CallError`, which names entries by their place in the file. */
  async send(part: TrafficPart): Promise<void> {
    const body = part.body();
    if (body.length >= this.#refusedBytes) return void this.#tooLarge.push(part.first);
    try {
      this.#service = await this.#patientPost(body);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (error.code !== "request_too_large" || part.count > 1) throw inFile(error, part);
      this.#refusedBytes = body.length;
      this.#tooLarge.push(part.first);
      return;
    }
    this.#parts += 1;
    this.#entries += part.count;
  }

  async #patientPost(body: Buffer): Promise<JsonObject> {
    for (const pause of pauses) {
      try {
        return await this.#post(body);
      } catch (error) {
        if (!(error instanceof CallError) || !passingCodes.has(error.code)) throw error;
        await delay(pause);
      }
    }
    return this.#post(body);
  }
}

/** The server counts entries from the beginning of the part. */
function inFile({ message, code }: CallError, { first }: TrafficPart): CallError {
  const named = message.replaceAll(/log\.entries\[(\d+)\]/g, (_, index: string) =>
    nameOfEntry(first + Number(index)),
  );
  return new CallError(named, code);
}
