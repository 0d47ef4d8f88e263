/** A folder of a project or of a package, with the packages that are installed in it. */
export interface InstallTreeNode<Reader> {
  /** Keys of the packages by name. */
  readonly installed: Map<string, string>;
  readonly inner: Map<string, InstallTreeNode<Reader>>;
  /** Who looks for packages from here. */
  readonly readers: Reader[];
}

/** Finds the key of the package of a name that Node would load: here, or in the nearest folder above. */
export type InstallTreePackageFinder = (name: string) => string | undefined;

export function createInstallTreeNode<Reader>(): InstallTreeNode<Reader> {
  return { installed: new Map(), inner: new Map(), readers: [] };
}

/** Returns the folder at the end of a way, and creates what is missing of it. */
export function ensureInstallTreeNode<Reader>(
  root: InstallTreeNode<Reader>,
  way: readonly string[],
): InstallTreeNode<Reader> {
  let folder = root;
  for (const step of way) {
    const next = folder.inner.get(step) ?? createInstallTreeNode<Reader>();
    folder.inner.set(step, next);
    folder = next;
  }
  return folder;
}

/**
 * Visits every reader, outer folders first. The packages that are in sight are kept
 * by name, so that a look-up takes as long at any depth.
 */
export function walkInstallTree<Reader>(
  root: InstallTreeNode<Reader>,
  visit: (reader: Reader, find: InstallTreePackageFinder) => void,
): void {
  const visible = new Map<string, string[]>();
  const find: InstallTreePackageFinder = (name) => visible.get(name)?.at(-1);
  const open: { readonly folder: InstallTreeNode<Reader>; readonly isLeft: boolean }[] = [
    { folder: root, isLeft: false },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { folder, isLeft } = next;
    if (isLeft) {
      for (const name of folder.installed.keys()) visible.get(name)?.pop();
      continue;
    }
    for (const [name, key] of folder.installed) {
      const keys = visible.get(name);
      if (keys === undefined) visible.set(name, [key]);
      else keys.push(key);
    }
    for (const reader of folder.readers) visit(reader, find);
    open.push({ folder, isLeft: true });
    for (const inner of [...folder.inner.values()].toReversed()) {
      open.push({ folder: inner, isLeft: false });
    }
  }
}
