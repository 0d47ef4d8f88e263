import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from "node:fs";
import { isAbsolute, join, normalize, relative, sep } from "node:path";
import { UnreadableText } from "../../manifest/dependency-file.ts";
import { formatOfName } from "../../manifest/file-formats.ts";
import { maxFileBytes, readBoundedText, tooLargeError } from "./bounded-text.ts";

/** Bytes that are read of all files of one folder together. */
const maxFolderBytes = 1024 * 1024 * 1024;

/** `O_NONBLOCK`: opening a named pipe does not wait for a writer. Windows lacks all three. */
const openFlags =
  constants.O_RDONLY |
  (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NOCTTY ?? 0);

/**
 * Files of one audited folder. The folder belongs to a stranger: a path in it may lead anywhere,
 * by `..` or by a link. Only regular files whose real path is below the folder are read, none in a
 * hidden folder such as `.git`, and only so many bytes of them.
 */
export class ProjectFiles {
  readonly #folder: string;
  readonly #realFolder: string;
  #remainingBytes = maxFolderBytes;

  /** Throws if there is no such folder. The user named it, so that it may be a link. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#realFolder = realpathSync.native(folder);
  }

  /**
   * Reads a file by its path from the folder. Throws `UnreadableText` with the reason if it is
   * not read; a missing file and one outside the folder are the same, so that nothing is told
   * of the machine.
   */
  read(path: string): string {
    const descriptor = this.#open(path);
    try {
      const { size } = fstatSync(descriptor);
      if (size > maxFileBytes) throw tooLargeError(maxFileBytes);
      if (this.#remainingBytes <= 0) {
        throw new UnreadableText(
          `too_many: ${maxFolderBytes.toString()} bytes of the folder were read before it`,
        );
      }
      const text = readBoundedText(descriptor);
      this.#remainingBytes -= Buffer.byteLength(text);
      return text;
    } finally {
      closeSync(descriptor);
    }
  }

  /** Checks before opening, because opening a device may do something, and after, because a path can change. */
  #open(path: string): number {
    if (leavesFolder(normalize(path))) throw outsideError();
    const real = realPath(join(this.#folder, path));
    this.#assertInside(real);
    assertRegular(orUnreadable(() => lstatSync(real)));
    const descriptor = orUnreadable(() => openSync(real, openFlags));
    try {
      const stats = fstatSync(descriptor);
      assertRegular(stats);
      this.#assertInside(pathOfOpenFile(descriptor, real, stats));
      return descriptor;
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  #assertInside(real: string): void {
    const path = relative(this.#realFolder, real);
    if (leavesFolder(path)) throw outsideError();
    const folders = path.split(sep);
    const name = folders.pop() ?? "";
    if (folders.some(isHidden) || (isHidden(name) && formatOfName(name) === undefined)) {
      throw new UnreadableText("hidden: hidden files and folders are not read");
    }
  }
}

function isHidden(name: string): boolean {
  return name.startsWith(".");
}

function leavesFolder(path: string): boolean {
  return path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path);
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    throw outsideError();
  }
}

/** Real path of an open file. Where the system cannot name it, the file that is now at its path must be the same. */
function pathOfOpenFile(descriptor: number, path: string, { dev, ino }: Stats): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor.toString()}`);
  } catch {
    const real = realPath(path);
    const now = orUnreadable(() => lstatSync(real));
    if (now.dev !== dev || now.ino !== ino) throw outsideError();
    return real;
  }
}

function assertRegular(stats: Stats): void {
  if (!stats.isFile()) throw new UnreadableText(`not_a_file: it is ${kindOf(stats)}`);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  return stats.isSymbolicLink() ? "a link" : "a device";
}

/** Runs a call of the file system. A failure becomes a reason, without the path that the system names. */
export function orUnreadable<Value>(action: () => Value): Value {
  try {
    return action();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UnreadableText(`unreadable: ${code ?? "the system refuses it"}`);
  }
}

function outsideError(): UnreadableText {
  return new UnreadableText("outside: there is no such file below the audited folder");
}
