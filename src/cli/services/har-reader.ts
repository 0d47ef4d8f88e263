import type { JsonValue } from "@bufbuild/protobuf";
import { JsonSyntaxError } from "../../platform/json-splice/json-syntax-error.ts";
import { validateAndFindMemberSpans } from "../../platform/json-splice/scan-object.ts";
import { JsonPicker } from "../../platform/json-stream/json-picker.ts";
import { JsonStreamError } from "../../platform/json-stream/json-stream-error.ts";
import { isProtobufJsonObject } from "../../contract/json/decode-json.ts";

/** An element of `log.entries`, as it stands in the file. */
export interface RawHarEntry {
  /** Its place in the list, from 0. */
  readonly index: number;
  readonly bytes: Buffer;
}

/** A file that is no HAR, or not to its end: what is wrong with it, and where. */
export class InvalidHarFileError extends Error {
  override readonly name = "InvalidHarFileError";
}

const byteOrderMark = Buffer.from("\u{feff}");

const maxEntryMib = 256;

/**
 * Finds the entries of a HAR file in its chunks; nothing else of the file is held. An
 * entry is held to be well-formed JSON, other members are only followed to their end.
 */
export class HarEntryReader {
  readonly #picker = new JsonPicker(
    { members: { log: { members: { entries: { items: this.#take.bind(this) } } } } },
    maxEntryMib * 1024 * 1024,
  );
  #found: RawHarEntry[] = [];
  #count = 0;
  #bytes = 0;
  #markBytes = 0;

  /** The entries that end in this chunk. Throws `InvalidHarFileError` behind the last that can be read. */
  *entries(chunk: Buffer): Generator<RawHarEntry> {
    const rest = this.#bytes === 0 ? this.#withoutMark(chunk) : chunk;
    this.#bytes += chunk.length;
    const fault = this.#faultOf(() => this.#picker.push(rest));
    const found = this.#found;
    this.#found = [];
    yield* found;
    if (fault !== undefined) throw fault;
  }

  /** Throws `InvalidHarFileError` when the file is not whole, or no HAR. */
  end(): void {
    let document: unknown;
    const fault = this.#faultOf(() => (document = this.#picker.end()));
    if (fault !== undefined) throw fault;
    if (!isHar(document as JsonValue))
      throw new InvalidHarFileError("is no HAR: it has no list log.entries");
  }

  #withoutMark(chunk: Buffer): Buffer {
    if (!chunk.subarray(0, byteOrderMark.length).equals(byteOrderMark)) return chunk;
    this.#markBytes = byteOrderMark.length;
    return chunk.subarray(byteOrderMark.length);
  }

  #take(bytes: Buffer, offset: number): void {
    const index = this.#count;
    try {
      validateAndFindMemberSpans(bytes, []);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      const place = offset + this.#markBytes + error.offset;
      const reason = error.message.replace(/ \(byte \d+\)$/, "");
      throw new InvalidHarFileError(
        `${formatHarEntryPath(index)} is no JSON object: ${reason} (byte ${place})`,
      );
    }
    this.#found.push({ index, bytes });
    this.#count += 1;
  }

  #faultOf(read: () => void): Error | undefined {
    try {
      read();
      return undefined;
    } catch (error) {
      if (error instanceof InvalidHarFileError) return error;
      if (error instanceof JsonStreamError) return this.#badCapture(error);
      throw error;
    }
  }

  #badCapture({ kind }: JsonStreamError): InvalidHarFileError {
    const place =
      this.#count === 0 ? "before any entry" : `behind ${formatHarEntryPath(this.#count - 1)}`;
    switch (kind) {
      case "broken off":
        return new InvalidHarFileError(`breaks off ${place}, at byte ${this.#bytes}`);
      case "not JSON":
        return new InvalidHarFileError(`cannot be read ${place}: what stands there is no JSON`);
      case "too large":
        return new InvalidHarFileError(
          `${formatHarEntryPath(this.#count)} is over ${maxEntryMib} MiB`,
        );
    }
  }
}

/** As the server's errors name it. */
export function formatHarEntryPath(index: number): string {
  return `log.entries[${index}]`;
}

function isHar(document: JsonValue | undefined): boolean {
  const log = isProtobufJsonObject(document) ? document["log"] : undefined;
  return isProtobufJsonObject(log) && Array.isArray(log["entries"]);
}
