import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  statSync,
  type Stats,
} from "node:fs";
import { dirname } from "node:path";
import { CliError } from "./cli-error.ts";
import { quoteShellWordIfNeeded } from "../platform/shell-word.ts";

/** Who may have written what a path leads to, as far as that matters. */
type Owned = Pick<Stats, "uid" | "mode">;

const writableByOthers = 0o022;
const usableByOthers = 0o077;

/**
 * Throws a `CliError` if the folder exists and another user owns it or the link that leads to
 * it, or may write in it: a file there may be planted. Root's folders are trusted.
 *
 * @param advice - what to do, a sentence
 */
export function assertTrustedFolder(folder: string, advice: string): void {
  const link = lstatSync(folder, { throwIfNoEntry: false });
  const target = statSync(folder, { throwIfNoEntry: false });
  if (link?.isSymbolicLink() === true) assertOwner(folder, link, advice);
  if (target !== undefined) assertOwned(folder, target, advice);
}

/**
 * Reads a file and trusts it as ssh does its own: throws a `CliError` if another user owns the
 * file or its folder, or may write there. Undefined for what is no regular file or is too large.
 * Throws Node's error where it cannot be opened.
 *
 * @param followsLink - whether the path itself may be a link
 * @param advice - what to do about a file that is not trusted, a sentence
 */
export function readTrustedFile(
  path: string,
  {
    maxBytes,
    followsLink,
    advice,
  }: { readonly maxBytes: number; readonly followsLink: boolean; readonly advice: string },
): string | undefined {
  const noLink = followsLink ? 0 : constants.O_NOFOLLOW;
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | noLink);
  try {
    const status = fstatSync(file);
    if (!status.isFile() || status.size > maxBytes) return undefined;
    assertTrustedFolder(dirname(path), advice);
    assertOwned(path, status, advice);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/**
 * Gives a file that other users may read to its owner alone (0600) and warns about it on standard
 * error: they may know its secrets. Does nothing where users own no files, as on Windows, and to a
 * file of another user.
 */
export function restrictFileToOwner(path: string): void {
  const { mode, uid } = statSync(path);
  if (uid !== process.geteuid?.() || (mode & usableByOthers) === 0) return;
  chmodSync(path, 0o600);
  process.stderr.write(
    `warning: ${path}: other users could read it; its mode is 0600 now. ` +
      "If others use this machine, revoke its keys and sign in again: npx causeway login\n",
  );
}

function assertOwned(path: string, status: Owned, advice: string): void {
  assertOwner(path, status, advice);
  if (process.geteuid === undefined || (status.mode & writableByOthers) === 0) return;
  throw new CliError(
    `${path}: is not used, because other users may write to it.\n` +
      `If it is yours: chmod go-w ${quoteShellWordIfNeeded(path)}\n${advice}`,
  );
}

/** Windows has no such owners. */
function assertOwner(path: string, { uid }: Owned, advice: string): void {
  const self = process.geteuid?.();
  if (self === undefined || uid === self || uid === 0) return;
  throw new CliError(
    `${path}: is not used, because it belongs to another user (uid ${uid}).\n` +
      `If that is right, run the command as that user.\n${advice}`,
  );
}
