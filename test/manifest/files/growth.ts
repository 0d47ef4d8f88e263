import { expect } from "vitest";
import { DependencyFileSyntaxError } from "../../../src/manifest/dependency-file.ts";
import { findFileFormatByKind } from "../../../src/manifest/file-formats.ts";

/** A text, and the files that stand next to it. */
export interface HostileFile {
  readonly text: string;
  readonly files?: Readonly<Record<string, string>>;
}

/** Less is noise: the quadratic readers took seconds for the same texts. */
const floorMs = 400;

/**
 * Asserts that four times the size takes at most eight times as long, by the time
 * of the processor, so that a busy machine changes nothing.
 */
export function expectLinear(
  format: string,
  size: number,
  fileOf: (size: number) => HostileFile,
  what: string,
): void {
  const large = fileOf(4 * size);
  let largeMs = readingMs(format, large);
  if (largeMs < floorMs) return;
  // The first reading of a kind compiles the code.
  largeMs = Math.min(largeMs, readingMs(format, large));
  const small = fileOf(size);
  const smallMs = Math.max(readingMs(format, small), readingMs(format, small));
  expect(largeMs, `${format}, ${what}`).toBeLessThan(Math.max(floorMs, 8 * smallMs));
}

function readingMs(format: string, file: HostileFile): number {
  const start = process.cpuUsage();
  readHostile(format, file);
  return process.cpuUsage(start).user / 1000;
}

/** Reads a text that may be refused; throws what is not a refusal. */
export function readHostile(format: string, { text, files = {} }: HostileFile): string {
  const besides = new Map(Object.entries(files));
  try {
    findFileFormatByKind(format)?.read(text, (path) => besides.get(path));
    return "read";
  } catch (error) {
    if (!(error instanceof DependencyFileSyntaxError)) throw error;
    return error.message;
  }
}
