import { closeSync, fstatSync, openSync } from "node:fs";
import { basename, dirname, resolve, sep } from "node:path";
import {
  DependencyFileSyntaxError,
  type SiblingFileReader,
  type DependencyFile,
  type UnparsableDependencyFileText,
} from "../../manifest/dependency-file.ts";
import { detectManifestKindFromText } from "../../manifest/detect-kind.ts";
import {
  findFileFormatByKind,
  findFileFormatByPath,
  type DependencyFileFormat,
} from "../../manifest/file-formats.ts";
import { readFileTextWithinLimit } from "./bounded-text.ts";
import { AuditedFolderReader } from "./project-files.ts";
import type { DependencyAuditReadBudget } from "./read-budget.ts";

/** The number of other files that one file may have read. */
const maxIncludes = 1000;

/** What one file names, and by which format it was read. */
export interface ParsedDependencyFile extends DependencyFile {
  readonly kind: string;
  /** Files that are not read, it or others beside it; the text of each is its name. */
  readonly skipped: readonly UnparsableDependencyFileText[];
}

/** Reads standard input, which has no files beside it. */
export function readStandardInputDependencies(
  kind: string,
  budget: DependencyAuditReadBudget,
): ParsedDependencyFile {
  return readText("-", kind, () => readOpenFile(0, budget), { files: undefined, budget });
}

function readOpenFile(descriptor: number, budget: DependencyAuditReadBudget): string {
  budget.assertReadable();
  const text = readFileTextWithinLimit(descriptor);
  budget.takeText(text);
  return text;
}

/**
 * Reads a file that the command line names: it may be a link, a pipe or a device. What it
 * includes must be below its own folder. Throws if it cannot be opened.
 */
export function readDependencyFileArgument(
  path: string,
  kind: string,
  budget: DependencyAuditReadBudget,
): ParsedDependencyFile {
  const descriptor = openSync(path, "r");
  try {
    // A pipe has no folder: `/dev/fd` is not where its text comes from.
    const hasFolder = fstatSync(descriptor).isFile();
    const files = hasFolder ? new AuditedFolderReader(dirname(path), budget) : undefined;
    const format = kind === "auto" ? findFileFormatByPath(resolve(path)) : undefined;
    return readText(basename(path), format?.name ?? kind, () => readOpenFile(descriptor, budget), {
      files,
      budget,
    });
  } finally {
    closeSync(descriptor);
  }
}

/** Reads a file that was found in a folder, by its path from there. */
export function readFoundDependencyFile(
  files: AuditedFolderReader,
  path: string,
  budget: DependencyAuditReadBudget,
): ParsedDependencyFile {
  return readText(path, "auto", () => files.read(path), { files, budget });
}

/** Sibling files, undefined for a text without a folder, and the limits of the audit. */
interface ReadContext {
  readonly files: AuditedFolderReader | undefined;
  readonly budget: DependencyAuditReadBudget;
}

/**
 * Reads a text by the format that was said (`auto`: by its name, else by what it
 * looks like). What cannot be read at all is one skipped file.
 */
function readText(
  path: string,
  kind: string,
  read: () => string,
  context: ReadContext,
): ParsedDependencyFile {
  try {
    const text = read().replace(/^\uFEFF/, "");
    const format = formatOf(path, text, kind);
    if (typeof format === "string") return createUnreadFileResult("unknown", path, format);
    return readWith(format, text, path, context);
  } catch (error) {
    if (!(error instanceof DependencyFileSyntaxError)) throw error;
    return createUnreadFileResult("unknown", path, error.message, error.line);
  }
}

/** Or why it is of none. */
function formatOf(path: string, text: string, kind: string): DependencyFileFormat | string {
  const format = kind === "auto" ? findFileFormatByPath(path) : findFileFormatByKind(kind);
  if (format !== undefined) return format;
  const detected = detectManifestKindFromText(text);
  if ("kind" in detected) return findFileFormatByKind(detected.kind) ?? "unknown_format";
  const [, looksLike] = detected.reason.split(/it looks like an? /);
  const other = findFileFormatByKind(looksLike ?? "");
  return other === undefined || other.isSettings ? detected.reason : other;
}

function readWith(
  format: DependencyFileFormat,
  text: string,
  path: string,
  { files, budget }: ReadContext,
): ParsedDependencyFile {
  if (text.trim() === "" && !format.isSettings)
    return createUnreadFileResult(format.name, path, "empty");
  const skipped: UnparsableDependencyFileText[] = [];
  try {
    const { rowsLeft } = budget;
    const file = format.read(text, siblingReader(path, files, skipped), budget);
    const result = { kind: format.name, ...file, skipped };
    return limitRows(result, path, budget, rowsLeft - budget.rowsLeft);
  } catch (error) {
    if (error instanceof DependencyFileSyntaxError) {
      return createUnreadFileResult(format.name, path, error.message, error.line);
    }
    // Whoever nests a text deep enough ends the stack of a library.
    if (error instanceof RangeError)
      return createUnreadFileResult(format.name, path, "invalid: it nests too deep");
    // One file must not end the audit of all others. The message may quote the file.
    return createUnreadFileResult(format.name, path, "invalid: its parser refuses it");
  }
}

/** Takes the rows of a file, of which its parser took some, and leaves out those that the audit has no room for. */
function limitRows(
  file: ParsedDependencyFile,
  path: string,
  budget: DependencyAuditReadBudget,
  taken: number,
): ParsedDependencyFile {
  const { dependencies, unparsed, skipped, omittedRows = 0 } = file;
  const count = dependencies.length + unparsed.length + skipped.length + omittedRows;
  const room = taken + budget.takeRows(Math.max(0, count - taken));
  if (count <= room) return file;
  const reason = `too_many: only ${room.toString()} of its ${count.toString()} rows are read`;
  const kept = dependencies.slice(0, room);
  return {
    ...file,
    dependencies: kept,
    unparsed: unparsed.slice(0, room - kept.length),
    skipped: [{ text: basename(path), reason }],
  };
}

/** The result for a file of which nothing is read. */
export function createUnreadFileResult(
  kind: string,
  path: string,
  reason: string,
  line?: number,
): ParsedDependencyFile {
  const row = { ...(line !== undefined && { line }), text: basename(path), reason };
  return { kind, dependencies: [], unparsed: [], skipped: [row] };
}

/** Reads the files beside one. A file that is there and is not read goes to `skipped`. */
function siblingReader(
  path: string,
  files: AuditedFolderReader | undefined,
  skipped: UnparsableDependencyFileText[],
): SiblingFileReader {
  let reads = 0;
  const read = (other: string): string => {
    if (files === undefined) throw new DependencyFileSyntaxError("outside: it has no folder");
    reads += 1;
    if (reads > maxIncludes) {
      throw new DependencyFileSyntaxError(
        `too_many: ${maxIncludes.toString()} files were read before it`,
      );
    }
    return files.readReferenced(`${dirname(path)}${sep}${other}`);
  };
  return (other, onSkip) => {
    try {
      return read(other);
    } catch (error) {
      if (!(error instanceof DependencyFileSyntaxError)) throw error;
      const isMissing = error.message.startsWith("outside:");
      if (onSkip !== undefined) onSkip(error.message);
      else if (!isMissing) {
        skipped.push({ file: other, text: basename(other), reason: `include: ${error.message}` });
      }
      return undefined;
    }
  };
}
