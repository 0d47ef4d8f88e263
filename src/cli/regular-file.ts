import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** A regular file that is open for reading. */
export interface RegularFileHandle {
  readonly descriptor: number;
  /** Bytes. */
  readonly size: number;
}

/**
 * Opens a file that a command line or a stranger's folder names; a link is followed. Throws for
 * what is no regular file: a named pipe or a device may never end, and opening it may wait.
 */
export function openRegularFile(path: string): RegularFileHandle {
  // Opening a named pipe does not wait for a writer then. Windows lacks both.
  const waitsForNobody = (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
  const descriptor = openSync(path, constants.O_RDONLY | waitsForNobody);
  try {
    const status = fstatSync(descriptor);
    if (status.isFile()) return { descriptor, size: status.size };
    const kind = status.isDirectory() ? "a folder" : "a pipe or a device";
    throw new Error(`${path} is ${kind}, no regular file`);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Reads a whole file, see `openRegularFile`. */
export function readWholeRegularFile(path: string): Buffer {
  const { descriptor } = openRegularFile(path);
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
