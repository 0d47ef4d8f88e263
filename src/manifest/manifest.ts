/** Manifests that are read. */
export type ManifestKind = "package.json" | "requirements.txt";

/** Why a manifest names a package. */
export type DependencyGroup = "production" | "optional" | "peer" | "development";

/** `range`: by the ecosystem's own rules, the empty text being any version; `tag`: a name of npm's. */
export type VersionConstraint = "range" | "tag";

/** A package that a manifest names, to be assessed. */
export interface ManifestDependency {
  readonly ecosystem: "npm" | "pypi";
  readonly name: string;
  /** The version or range verbatim; null when none is asked for. */
  readonly requested: string | null;
  /** From 1; undefined where it was not found. */
  readonly line?: number;
  /** Undefined: the manifest has no groups. */
  readonly group?: DependencyGroup;
  /** Set where one exact version is asked for. */
  readonly version?: string;
  /** What `requested` is where several versions may fit it. */
  readonly constraint?: VersionConstraint;
}

/** Text of a manifest that names no package of a registry, or nothing that can be read. */
export interface UnparsedText {
  /** From 1; undefined where lines mean nothing. */
  readonly line?: number;
  readonly text: string;
  /** A stable word, `git` for instance; where there is more to say, a colon and what it is. */
  readonly reason: string;
}

/** A manifest as far as it could be read: nothing of it is left out without a word. */
export interface ReadManifest {
  /** Undefined: nothing was recognised. */
  readonly kind: ManifestKind | undefined;
  /** In the order in which they are assessed, each name once per spelling of its version. */
  readonly dependencies: readonly ManifestDependency[];
  readonly unparsed: readonly UnparsedText[];
}

const longestText = 300;

/** Text of a manifest as it is shown; long text is cut. */
export function show(text: string): string {
  const trimmed = text.trim();
  return trimmed.length <= longestText ? trimmed : `${trimmed.slice(0, longestText)}…`;
}
