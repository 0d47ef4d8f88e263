import { readSync } from "node:fs";
import { DependencyFileSyntaxError } from "../../manifest/dependency-file.ts";

/** The largest file that is read. No lock file is larger; a parsed one takes several times its size. */
export const maxDependencyFileBytes = 64 * 1024 * 1024;

const chunkBytes = 256 * 1024;

/**
 * Reads an open file to its end. Throws `DependencyFileSyntaxError` once it has more bytes than `maxBytes`:
 * a device never ends, and a file may grow while it is read.
 */
export function readFileTextWithinLimit(
  descriptor: number,
  maxBytes = maxDependencyFileBytes,
): string {
  const chunks: Buffer[] = [];
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let bytes = 0;
  for (;;) {
    const read = readSync(descriptor, chunk);
    if (read === 0) return Buffer.concat(chunks).toString("utf8");
    bytes += read;
    if (bytes > maxBytes) throw dependencyFileTooLargeError(maxBytes);
    chunks.push(Buffer.from(chunk.subarray(0, read)));
  }
}

/** The failure of a file that has more bytes than are read. */
export function dependencyFileTooLargeError(maxBytes: number): DependencyFileSyntaxError {
  return new DependencyFileSyntaxError(`too_large: it has more than ${maxBytes.toString()} bytes`);
}
