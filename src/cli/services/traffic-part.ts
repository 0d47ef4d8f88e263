import type { RawHarEntry } from "./har-reader.ts";

/**
 * Bytes of a part. A body of a mebibyte is taken by every server: it is the least that
 * `limits.max_body_mib` can say, and what many proxies take. Between small parts the
 * server also has time for others.
 */
export const maxHarUploadBatchBytes = 1024 * 1024;

const [head, comma, tail] = [
  Buffer.from('{"log":{"version":"1.2","entries":['),
  Buffer.from(","),
  Buffer.from("]}}"),
];

/** Bytes of an entry that shares a part with no other. */
export const maxHarUploadBatchEntryBytes = maxHarUploadBatchBytes - head.length - tail.length;

/**
 * Entries that are sent together, as a HAR document. Its memory is used again for the
 * parts after it, since V8 would let tens of megabytes of old parts lie.
 */
export class HarUploadBatch {
  #memory = Buffer.allocUnsafe(maxHarUploadBatchBytes);
  #length = head.copy(this.#memory);
  #first = 0;
  #count = 0;

  /** Place of the first entry in the list of the file; the others follow it. */
  get first(): number {
    return this.#first;
  }

  /** Number of entries. */
  get count(): number {
    return this.#count;
  }

  hasRoomFor({ bytes }: RawHarEntry): boolean {
    return this.#count === 0 || this.#lengthWith(bytes) <= maxHarUploadBatchBytes;
  }

  add({ index, bytes }: RawHarEntry): void {
    if (this.#count === 0) this.#first = index;
    else this.#length += comma.copy(this.#memory, this.#length);
    if (this.#lengthWith(bytes) > this.#memory.length) this.#grow(this.#lengthWith(bytes));
    this.#length += bytes.copy(this.#memory, this.#length);
    this.#count += 1;
  }

  /** The HAR document. */
  body(): Buffer {
    return this.#memory.subarray(0, this.#length + tail.copy(this.#memory, this.#length));
  }

  /** Makes it the next part. */
  clear(): void {
    if (this.#memory.length > maxHarUploadBatchBytes)
      this.#memory = Buffer.allocUnsafe(maxHarUploadBatchBytes);
    this.#length = head.copy(this.#memory);
    this.#count = 0;
  }

  #lengthWith(bytes: Buffer): number {
    return this.#length + comma.length + bytes.length + tail.length;
  }

  #grow(length: number): void {
    const memory = Buffer.allocUnsafe(length);
    this.#memory.copy(memory, 0, 0, this.#length);
    this.#memory = memory;
  }
}

/**
 * Gathers entries in parts; one that is larger than a part is a part of its own. There is
 * always one part, so that a capture without entries is sent as well. A part is used again
 * when the next one is asked for. What the entries throw is thrown behind the last part.
 */
export async function* batchHarEntries(
  entries: AsyncIterable<RawHarEntry>,
): AsyncGenerator<HarUploadBatch> {
  const part = new HarUploadBatch();
  const faults: unknown[] = [];
  try {
    for await (const entry of entries) {
      if (!part.hasRoomFor(entry)) {
        yield part;
        part.clear();
      }
      part.add(entry);
    }
  } catch (error) {
    faults.push(error);
  }
  if (part.count > 0 || faults.length === 0) yield part;
  if (faults.length > 0) throw faults[0];
}
