import type { PackageEcosystem } from "../platform/ecosystem.ts";
import type { UnparsableManifestText, VersionConstraintKind } from "./manifest.ts";

/**
 * `direct`: the project itself asks for it; `transitive`: another package does;
 * `unknown`: the file does not tell, and no manifest stands beside it.
 */
export type DependencyRelation = "direct" | "transitive" | "unknown";

/** A package of a registry that a manifest, a lock file or a bill of materials names. */
export interface FileDependency {
  readonly ecosystem: PackageEcosystem;
  readonly name: string;
  /** The version or range verbatim; null: none is written. */
  readonly requested: string | null;
  /** Undefined: the file pins none. */
  readonly version?: string;
  /** Set where the service can choose the version that an installer would take. */
  readonly constraint?: VersionConstraintKind;
  readonly relation: DependencyRelation;
  /** `production`, `optional`, `peer`, `development`, or the format's own word. */
  readonly groups: readonly string[];
  /**
   * Ways from the project to it, each from the direct dependency to the package
   * itself as `name@version`; the shortest first, at most three.
   */
  readonly paths: readonly (readonly string[])[];
  /** From 1; undefined where it was not found. */
  readonly line?: number;
}

/** Text of a file, or of a file that it includes, that names no package of a registry. */
export interface UnparsableDependencyFileText extends UnparsableManifestText {
  /** Path from the file that is read; undefined if the text is in that file itself. */
  readonly file?: string;
}

/** What one file names. Nothing of it is left out without a word. */
export interface DependencyFile {
  readonly dependencies: readonly FileDependency[];
  readonly unparsed: readonly UnparsableDependencyFileText[];
  /** Number of rows more that the file has, where the audit had no room for them. */
  readonly omittedRows?: number;
  /**
   * Folders of the project whose manifests are part of this lock file, or of the workspace of this
   * manifest, seen from it (`packages/app`), or patterns of them. Its own folder always is.
   */
  readonly members?: readonly string[];
  /** Names of the project's own packages, where the lock file has these in place of folders. */
  readonly memberNames?: readonly string[];
  /** Name of the package that a manifest describes, where its lock file may have it in `memberNames`. */
  readonly ownName?: string;
  /** What the manifests asked for when the lock file was made, by `toDeclaredRequirementKey`; undefined if it does not say. */
  readonly requests?: ReadonlySet<string>;
  /** Packages of registries other than the default one, where manifests have names for registries. */
  readonly registryPackages?: readonly AlternativeRegistryPackage[];
}

/** A package that a registry other than the default one provides. */
export interface AlternativeRegistryPackage {
  readonly name: string;
  /** The registry as its row says it: its host, or the name that a manifest has for it. */
  readonly registry: string;
  /** Requirement in a manifest, exact version in a lock file. */
  readonly requested: string;
}

/** What a manifest asks for under a name, as one text. */
export function toDeclaredRequirementKey(name: string, specifier: string): string {
  // Yarn writes the protocol of the registry out.
  return `${name}@${specifier.trim().replace(/^npm:(?=[\d^~*<>=])/, "")}`;
}

/**
 * Returns the text of another file, by its path from the one that is read, or undefined if it is
 * not read. `onSkip` receives the reason, also for a missing file; without it a missing file is
 * nothing to report.
 */
export type SiblingFileReader = (
  path: string,
  onSkip?: (reason: string) => void,
) => string | undefined;

/**
 * Limits of a whole audit for what a parser makes of texts that several files refer to, so that a
 * small folder does not fill the memory.
 */
export interface ManifestParseBudget {
  /** The number of rows that there is room for. */
  readonly rowsLeft: number;
  /** Takes rows, packages or unparsed texts. Returns how many of them there is room for. */
  takeRows(count: number): number;
  /** Takes elements that are read again with other values. Returns false if there is no room for all of them. */
  takeRepeats(count: number): boolean;
}

/** Reads one format. Throws `DependencyFileSyntaxError` where nothing can be told of the whole. */
export type DependencyFileParser = (
  text: string,
  beside: SiblingFileReader,
  budget?: ManifestParseBudget,
) => DependencyFile;

/** A text that is not of its format. */
export class DependencyFileSyntaxError extends Error {
  override readonly name = "UnreadableTextError";
  /** From 1; undefined: the whole text. */
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

/** No registry has longer names. */
const maxLabelPart = 200;

/** How a package is shown in a path; a long name or version is cut, as many paths may lead through it. */
export function formatPackageLabel(name: string, version: string | undefined): string {
  return version === undefined ? cut(name) : `${cut(name)}@${cut(version)}`;
}

function cut(text: string): string {
  return text.length <= maxLabelPart ? text : `${text.slice(0, maxLabelPart)}…`;
}
