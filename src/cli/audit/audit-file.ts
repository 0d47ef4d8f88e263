import type { FileDependency } from "../../manifest/dependency-file.ts";
import type { UnparsableManifestText } from "../../manifest/manifest.ts";

/** A text that names no package that can be asked about, and the file that it is in. */
export interface UnparsableTextLocation extends UnparsableManifestText {
  /** As it was named, or from the folder that was; with slashes. */
  readonly file: string;
  /** What may be shown of the text; undefined for one that may be anything. */
  readonly shown: string | undefined;
}

/** One file of an audit, as far as it could be read. */
export interface DependencyFileToAudit {
  /** As it was named, or from the folder that was; with slashes. */
  readonly path: string;
  /** Name of its format; `unknown` where nothing was recognised. */
  readonly kind: string;
  readonly dependencies: readonly FileDependency[];
  readonly unparsed: readonly UnparsableTextLocation[];
}
