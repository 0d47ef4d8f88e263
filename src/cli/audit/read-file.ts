import { closeSync, fstatSync, openSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  UnreadableText,
  type Beside,
  type DependencyFile,
  type UnparsedPart,
} from "../../manifest/dependency-file.ts";
import { detectKind } from "../../manifest/detect-kind.ts";
import { formatNamed, formatOfName, type FileFormat } from "../../manifest/file-formats.ts";
import { readBoundedText } from "./bounded-text.ts";
import { ProjectFiles } from "./project-files.ts";

/** The number of other files that one file may have read. */
const maxIncludes = 1000;

/** What one file names, and by which format it was read. */
export interface ReadFileResult extends DependencyFile {
  readonly kind: string;
  /** Files that are not read, it or others beside it; the text of each is its name. */
  readonly skipped: readonly UnparsedPart[];
}

/** Reads standard input, which has no files beside it. */
export function readStandardInput(kind: string): ReadFileResult {
  return readText("-", kind, () => readBoundedText(0), undefined);
}

/**
 * Reads a file that the command line names: it may be a link, a pipe or a device. What it
 * includes must be below its own folder. Throws if it cannot be opened.
 */
export function readNamedFile(path: string, kind: string): ReadFileResult {
  const descriptor = openSync(path, "r");
  try {
    // A pipe has no folder: `/dev/fd` is not where its text comes from.
    const files = fstatSync(descriptor).isFile() ? new ProjectFiles(dirname(path)) : undefined;
    return readText(basename(path), kind, () => readBoundedText(descriptor), files);
  } finally {
    closeSync(descriptor);
  }
}

/** Reads a file that was found in a folder, by its path from there. */
export function readFoundFile(files: ProjectFiles, path: string): ReadFileResult {
  return readText(path, "auto", () => files.read(path), files);
}

/**
 * Reads a text by the format that was said (`auto`: by its name, else by what it
 * looks like). What cannot be read at all is one skipped file.
 */
function readText(
  path: string,
  kind: string,
  read: () => string,
  files: ProjectFiles | undefined,
): ReadFileResult {
  try {
    const text = read().replace(/^\uFEFF/, "");
    const format = formatOf(path, text, kind);
    if (typeof format === "string") return unread("unknown", path, format);
    return readWith(format, text, path, files);
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    return unread("unknown", path, error.message, error.line);
  }
}

/** Or why it is of none. */
function formatOf(path: string, text: string, kind: string): FileFormat | string {
  const format = kind === "auto" ? formatOfName(basename(path)) : formatNamed(kind);
  if (format !== undefined) return format;
  const detected = detectKind(text);
  if ("kind" in detected) return formatNamed(detected.kind) ?? "unknown_format";
  const [, looksLike] = detected.reason.split(/it looks like an? /);
  return formatNamed(looksLike ?? "") ?? detected.reason;
}

function readWith(
  format: FileFormat,
  text: string,
  path: string,
  files: ProjectFiles | undefined,
): ReadFileResult {
  if (text.trim() === "") return unread(format.name, path, "empty");
  const skipped: UnparsedPart[] = [];
  try {
    const file = format.read(text, besideOf(path, files, skipped));
    return { kind: format.name, ...file, skipped };
  } catch (error) {
    if (error instanceof UnreadableText) {
      return unread(format.name, path, error.message, error.line);
    }
    // Whoever nests a text deep enough ends the stack of a library.
    if (error instanceof RangeError) return unread(format.name, path, "invalid: it nests too deep");
    throw error;
  }
}

/** The result for a file of which nothing is read. */
export function unread(kind: string, path: string, reason: string, line?: number): ReadFileResult {
  const row = { ...(line !== undefined && { line }), text: basename(path), reason };
  return { kind, dependencies: [], unparsed: [], skipped: [row] };
}

/** Reads the files beside one. A file that is there and is not read goes to `skipped`. */
function besideOf(path: string, files: ProjectFiles | undefined, skipped: UnparsedPart[]): Beside {
  let reads = 0;
  const read = (other: string): string => {
    if (files === undefined) throw new UnreadableText("outside: it has no folder");
    reads += 1;
    if (reads > maxIncludes) {
      throw new UnreadableText(`too_many: ${maxIncludes.toString()} files were read before it`);
    }
    return files.read(join(dirname(path), other));
  };
  return (other, onSkip) => {
    try {
      return read(other);
    } catch (error) {
      if (!(error instanceof UnreadableText)) throw error;
      const isMissing = error.message.startsWith("outside:");
      if (onSkip !== undefined) onSkip(error.message);
      else if (!isMissing) {
        skipped.push({ file: other, text: basename(other), reason: `include: ${error.message}` });
      }
      return undefined;
    }
  };
}
