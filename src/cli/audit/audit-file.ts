import type { FileDependency } from "../../manifest/dependency-file.ts";
import type { UnparsedText } from "../../manifest/manifest.ts";

/** One file of an audit, as far as it could be read. */
export interface AuditFile {
  /** As it was named, or from the folder that was; with slashes. */
  readonly path: string;
  /** Name of its format; `unknown` where nothing was recognised. */
  readonly kind: string;
  readonly dependencies: readonly FileDependency[];
  readonly unparsed: readonly UnparsedText[];
}
