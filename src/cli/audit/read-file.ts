import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  UnreadableText,
  type Beside,
  type DependencyFile,
} from "../../manifest/dependency-file.ts";
import { detectKind } from "../../manifest/detect-kind.ts";
import { formatNamed, formatOfName, type FileFormat } from "../../manifest/file-formats.ts";

/** No lock file is larger; a parsed one takes several times its size. */
const mostBytes = 64 * 1024 * 1024;

/** What one file names, and by which format it was read. */
export interface ReadFileResult extends DependencyFile {
  readonly kind: string;
}

/** Text of a file. Throws where there is none, or too much of it. */
export function textOfFile(path: string): string {
  if (path === "-") return textOfInput();
  const { size } = statSync(path);
  if (size > mostBytes) throw new UnreadableText(`too_large: it has ${size.toString()} bytes`);
  return readFileSync(path, "utf8");
}

/** Stops where there is too much, whoever writes. */
function textOfInput(): string {
  const chunks: Buffer[] = [];
  let size = 0;
  const chunk = Buffer.alloc(1024 * 1024);
  for (let read = readSync(0, chunk); read > 0; read = readSync(0, chunk)) {
    size += read;
    if (size > mostBytes) throw new UnreadableText("too_large: it has more than 64 MiB");
    chunks.push(Buffer.from(chunk.subarray(0, read)));
  }
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * Reads a file by the format that was said (`auto`: by its name, else by what it
 * looks like). What cannot be read at all is one unparsed text.
 */
export function readDependencies(path: string, kind = "auto"): ReadFileResult {
  try {
    const text = textOfFile(path).replace(/^\uFEFF/, "");
    const format = formatOf(path, text, kind);
    if (typeof format === "string") return unread("unknown", path, format);
    return { kind: format.name, ...readWith(format, text, besideOf(path), path) };
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
  const [, looksLike] = /it looks like an? (.*)$/.exec(detected.reason) ?? [];
  return formatNamed(looksLike ?? "") ?? detected.reason;
}

function readWith(format: FileFormat, text: string, beside: Beside, path: string): DependencyFile {
  if (text.trim() === "") return unread(format.name, path, "empty");
  try {
    return format.read(text, beside);
  } catch (error) {
    if (error instanceof UnreadableText) {
      return unread(format.name, path, error.message, error.line);
    }
    // Whoever nests a text deep enough ends the stack of a library.
    if (error instanceof RangeError) return unread(format.name, path, "invalid: it nests too deep");
    throw error;
  }
}

function unread(kind: string, path: string, reason: string, line?: number): ReadFileResult {
  const row = { ...(line !== undefined && { line }), text: basename(path), reason };
  return { kind, dependencies: [], unparsed: [row] };
}

/** Files beside one that was given; standard input has none. */
function besideOf(path: string): Beside {
  return (relative) => {
    if (path === "-") return undefined;
    try {
      return textOfFile(join(dirname(path), relative));
    } catch {
      return undefined;
    }
  };
}

/** Whether a path can be opened, so that a mistake is told before anything is asked. */
export function assertReadable(path: string): void {
  if (path !== "-") closeSync(openSync(path, "r"));
}
