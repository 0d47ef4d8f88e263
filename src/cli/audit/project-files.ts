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
import { isAbsolute, normalize, relative, sep } from "node:path";
import { DependencyFileSyntaxError } from "../../manifest/dependency-file.ts";
import { findFileFormatByPath } from "../../manifest/file-formats.ts";
import {
  maxDependencyFileBytes,
  readFileTextWithinLimit,
  dependencyFileTooLargeError,
} from "./bounded-text.ts";
import type { DependencyAuditReadBudget } from "./read-budget.ts";

/** `O_NONBLOCK`: opening a named pipe does not wait for a writer. Windows lacks all three. */
const openFlags =
  constants.O_RDONLY |
  (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NOCTTY ?? 0);

/**
 * Files of one audited folder. The folder belongs to a stranger: a path in it may lead anywhere,
 * by `..` or by a link. Only regular files whose real path is below the folder are read, none in a
 * hidden folder such as `.git`, and only what the budget of the audit leaves.
 */
export class AuditedFolderReader {
  readonly #folder: string;
  readonly #realFolder: string;
  readonly #budget: DependencyAuditReadBudget;

  /** Throws if there is no such folder. The user named it, so that it may be a link. */
  constructor(folder: string, budget: DependencyAuditReadBudget) {
    this.#budget = budget;
    this.#folder = folder;
    this.#realFolder = realpathSync.native(folder);
  }

  /**
   * Reads a file by its path from the folder. Throws `DependencyFileSyntaxError` with the reason if it is
   * not read; a missing file and one outside the folder are the same, so that nothing is told
   * of the machine.
   */
  read(path: string): string {
    this.#budget.assertReadable();
    const descriptor = this.#open(path);
    try {
      const { size } = fstatSync(descriptor);
      if (size > maxDependencyFileBytes) throw dependencyFileTooLargeError(maxDependencyFileBytes);
      const text = readFileTextWithinLimit(descriptor);
      this.#budget.takeText(text);
      return text;
    } finally {
      closeSync(descriptor);
    }
  }

  /** Reads a file that another one refers to, see `read`; a missing one counts as well. */
  readReferenced(path: string): string {
    this.#budget.take("references");
    return this.read(path);
  }

  /** Checks before opening, because opening a device may do something, and after, because a path can change. */
  #open(path: string): number {
    if (leavesFolder(normalize(path))) throw outsideError();
    // Not normalized: where a folder is a link, `..` leads elsewhere, as it does for an installer.
    const real = realPath(`${this.#folder}${sep}${path}`);
    this.#assertInside(real, path);
    assertRegular(wrapFileSystemErrors(() => lstatSync(real)));
    const descriptor = wrapFileSystemErrors(() => openSync(real, openFlags));
    try {
      const stats = fstatSync(descriptor);
      assertRegular(stats);
      this.#assertInside(pathOfOpenFile(descriptor, real, stats), path);
      return descriptor;
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  /** A hidden file of settings is read by its own name alone: a link to it would show its secrets as lines of something else. */
  #assertInside(real: string, requested: string): void {
    const path = relative(this.#realFolder, real);
    if (leavesFolder(path)) throw outsideError();
    const folders = path.split(sep);
    const name = folders.pop() ?? "";
    const hidden = folders.filter(isHidden);
    if (hidden.length === 0 && !isHidden(name)) return;
    const format = findFileFormatByPath(path);
    const isOwn = format?.isSettings !== true || format === findFileFormatByPath(requested);
    const isInOwnFolder =
      hidden.length === 0 || (hidden.length === 1 && format?.folder !== undefined);
    if (format === undefined || !isOwn || !isInOwnFolder) {
      throw new DependencyFileSyntaxError("hidden: hidden files and folders are not read");
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
    const now = wrapFileSystemErrors(() => lstatSync(real));
    if (now.dev !== dev || now.ino !== ino) throw outsideError();
    return real;
  }
}

function assertRegular(stats: Stats): void {
  if (!stats.isFile()) throw new DependencyFileSyntaxError(`not_a_file: it is ${kindOf(stats)}`);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  return stats.isSymbolicLink() ? "a link" : "a device";
}

/** Runs a call of the file system. A failure becomes a reason, without the path that the system names. */
export function wrapFileSystemErrors<Value>(action: () => Value): Value {
  try {
    return action();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new DependencyFileSyntaxError(`unreadable: ${code ?? "the system refuses it"}`);
  }
}

function outsideError(): DependencyFileSyntaxError {
  return new DependencyFileSyntaxError("outside: there is no such file below the audited folder");
}
