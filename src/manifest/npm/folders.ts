/** A folder of a project or of a package, with the packages that are installed in it. */
export interface NpmInstallTreeNode<Reader> {
  /** Keys of the packages by name. */
  readonly installed: Map<string, string>;
  readonly inner: Map<string, NpmInstallTreeNode<Reader>>;
  /** Who looks for packages from here. */
  readonly readers: Reader[];
}

/** Finds the key of the package of a name that Node would load: here, or in the nearest folder above. */
export type NpmInstallTreePackageFinder = (name: string) => string | undefined;

export function createNpmInstallTreeNode<Reader>(): NpmInstallTreeNode<Reader> {
  return { installed: new Map(), inner: new Map(), readers: [] };
}

/** Returns the folder at the end of a way, and creates what is missing of it. */
export function ensureNpmInstallTreeNode<Reader>(
  root: NpmInstallTreeNode<Reader>,
  way: readonly string[],
): NpmInstallTreeNode<Reader> {
  let folder = root;
  for (const step of way) {
    const next = folder.inner.get(step) ?? createNpmInstallTreeNode<Reader>();
    folder.inner.set(step, next);
    folder = next;
  }
  return folder;
}

/**
 * Visits every reader, outer folders first. The packages that are in sight are kept
 * by name, so that a look-up takes as long at any depth.
 */
export function walkNpmInstallTree<Reader>(
  root: NpmInstallTreeNode<Reader>,
  visit: (reader: Reader, find: NpmInstallTreePackageFinder) => void,
): void {
  const visible = new Map<string, string[]>();
  const find: NpmInstallTreePackageFinder = (name) => visible.get(name)?.at(-1);
  const open: { readonly folder: NpmInstallTreeNode<Reader>; readonly isLeft: boolean }[] = [
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
