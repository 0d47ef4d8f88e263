import { chmodSync, statSync } from "node:fs";

const readableByOthers = 0o077;

/**
 * Gives a file that other users may read to its owner alone (0600) and warns about it: its
 * secrets may be known. Does nothing where that cannot be done, as on Windows.
 */
export function restrictFileToOwner(
  path: string,
  warn: (line: string) => void = (line) => void process.stderr.write(`${line}\n`),
): void {
  const self = process.geteuid?.();
  if (self === undefined) return;
  const { mode, uid } = statSync(path);
  if ((mode & readableByOthers) === 0 || uid !== self) return;
  chmodSync(path, 0o600);
  warn(
    `warning: ${path}: other users could read it; its mode is 0600 now. ` +
      "If others use this machine, revoke its keys and sign in again: npx causeway login",
  );
}
