import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "@bufbuild/protobuf";
import { CliError } from "../cli-error.ts";
import { formatHarEntryPath } from "./har-reader.ts";
import type { HarPoster } from "./post-traffic.ts";
import type { HarUploadBatch } from "./traffic-part.ts";

/** Milliseconds to wait before a part is sent again to a server that has no time for it. */
const retryDelays = [500, 1000, 2000, 4000, 8000];

/** What a server refuses for a while. An equal entry counts once, so that sending again does no harm. */
const retryableCodes = new Set<string | undefined>(["rate_limited", "unavailable"]);

/** Sends parts of a capture, one after the other, and counts what was learned. */
export class HarUploader {
  readonly #post: HarPoster;
  readonly #tooLarge: number[] = [];
  /** Bytes of the smallest entry that the server refused for its size: none that is larger is sent. */
  #rejectedBytes = Number.POSITIVE_INFINITY;
  #parts = 0;
  #entries = 0;
  #service: JsonObject = {};

  constructor(post: HarPoster) {
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

  /** Rejects with a `CliError`, which names entries by their place in the file. */
  async send(part: HarUploadBatch): Promise<void> {
    const body = part.body();
    if (body.length >= this.#rejectedBytes) return void this.#tooLarge.push(part.first);
    try {
      this.#service = await this.#postWithRetry(body);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      if (error.code !== "request_too_large" || part.count > 1) throw inFile(error, part);
      this.#rejectedBytes = body.length;
      this.#tooLarge.push(part.first);
      return;
    }
    this.#parts += 1;
    this.#entries += part.count;
  }

  async #postWithRetry(body: Buffer): Promise<JsonObject> {
    for (const pause of retryDelays) {
      try {
        return await this.#post(body);
      } catch (error) {
        if (!(error instanceof CliError) || !retryableCodes.has(error.code)) throw error;
        await delay(pause);
      }
    }
    return this.#post(body);
  }
}

/** The server counts entries from the beginning of the part. */
function inFile({ message, code }: CliError, { first }: HarUploadBatch): CliError {
  const named = message.replaceAll(/log\.entries\[(\d+)\]/g, (_, index: string) =>
    formatHarEntryPath(first + Number(index)),
  );
  return new CliError(named, code);
}
