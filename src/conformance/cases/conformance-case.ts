import type { DialectName } from "../ask.ts";
import type { Probe } from "../probe.ts";

/** One thing that a gateway must do in a dialect. */
export interface ConformanceCase {
  /** Stable, kebab-case. */
  readonly name: string;
  /** What must hold, one sentence. */
  readonly holds: string;
  /** Dialects that it is about; all three unless said. */
  readonly dialects?: readonly DialectName[];
  /** It says nothing without a model that answers at all. */
  readonly needsModel: boolean;
  /** Throws `CaseFailed` or `CaseSkipped`; any other error is a failure, too. */
  readonly run: (probe: Probe) => Promise<void>;
}
