import { createHash } from "node:crypto";

/** Manifests that are read. */
export type ManifestKind = "package.json" | "requirements.txt";

/** Why a manifest names a package. */
export type DependencyGroup = "production" | "optional" | "peer" | "development";

/**
 * `range`: by the ecosystem's own rules, the empty text being any version; `tag`: a name of npm's.
 * `range_with_prereleases`: a range of PyPI that pre-releases fit as other versions do.
 */
export type VersionConstraintKind = "range" | "range_with_prereleases" | "tag";

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
  readonly constraint?: VersionConstraintKind;
}

/** Text of a manifest that names no package of a registry, or nothing that can be read. */
export interface UnparsableManifestText {
  /** From 1; undefined where lines mean nothing. */
  readonly line?: number;
  readonly text: string;
  /** SHA-256 of the whole text in hex, where `text` is its beginning. */
  readonly digest?: string;
  /** A stable word, `git` for instance; where there is more to say, a colon and what it is. */
  readonly reason: string;
  /** Name that a manifest or a lock file has for it; undefined where it has none. */
  readonly name?: string;
  /** Address that a package comes from, see `Origin`; part of the text unless that has it already. */
  readonly address?: string;
  /** What a manifest asks for under the name, verbatim: a specifier, a path, `workspace:`. */
  readonly requested?: string;
}

interface VersionRequest {
  readonly requested?: string | null;
  readonly version?: string;
  readonly constraint?: VersionConstraintKind;
}

/** Lets pre-releases fit a range, or any version. An exact version stays, and so does an unread range. */
export function includePrereleases<Request extends VersionRequest>(request: Request): Request {
  const { requested, version, constraint } = request;
  const isRead = constraint === "range" || requested === null;
  return version === undefined && isRead
    ? { ...request, constraint: "range_with_prereleases" }
    : request;
}

/** Equal for two requests of one package that come to the same version. */
export function toVersionRequestKey({ requested, version, constraint }: VersionRequest): string {
  const takesPrereleases = constraint === "range_with_prereleases";
  return JSON.stringify(version ?? [requested, takesPrereleases]);
}

/** A manifest as far as it could be read: nothing of it is left out without a word. */
export interface ParsedManifest {
  /** Undefined: nothing was recognised. */
  readonly kind: ManifestKind | undefined;
  /** In the order in which they are assessed, each name once per spelling of its version. */
  readonly dependencies: readonly ManifestDependency[];
  readonly unparsed: readonly UnparsableManifestText[];
}

/** Returns the stable word of a reason, without what is said more. */
export function extractSkipReasonCode(reason: string): string {
  return reason.split(":", 1)[0] ?? "";
}

const maxExcerptLength = 300;

/** Returns the text of an `UnparsableManifestText`; a long one is cut. */
export function toExcerptWithDigest(text: string): Pick<UnparsableManifestText, "text" | "digest"> {
  const shown = truncateToExcerpt(text);
  return shown === text.trim()
    ? { text: shown }
    : { text: shown, digest: computeSha256Hex(text.trim()) };
}

/** Returns the SHA-256 of a text in hex. */
export function computeSha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Text of a manifest as it is shown; long text is cut. */
export function truncateToExcerpt(text: string): string {
  const trimmed = text.trim();
  return trimmed.length <= maxExcerptLength ? trimmed : `${trimmed.slice(0, maxExcerptLength)}…`;
}
