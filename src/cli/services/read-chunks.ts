import { close, read } from "node:fs";
import { promisify } from "node:util";

const [readInto, closeFile] = [promisify(read), promisify(close)];

const chunkBytes = 256 * 1024;

/** Reads an open file to its end, and closes it. A chunk is only good until the next one. */
export async function* readFileChunks(descriptor: number): AsyncGenerator<Buffer> {
  const memory = Buffer.allocUnsafe(chunkBytes);
  try {
    for (;;) {
      const { bytesRead } = await readInto(descriptor, memory, 0, chunkBytes, null);
      if (bytesRead === 0) return;
      yield memory.subarray(0, bytesRead);
    }
  } finally {
    await closeFile(descriptor);
  }
}
