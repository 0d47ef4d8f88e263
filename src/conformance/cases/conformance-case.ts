import type { ConformanceDialectName } from "../case-request.ts";
import type { ConformanceClient } from "../dialect-client.ts";

/** One thing that a gateway must do in a dialect. */
export interface ConformanceCase {
  /** Stable, kebab-case. */
  readonly name: string;
  /** What must hold, one sentence. */
  readonly requirement: string;
  /** Dialects that it is about; all three unless said. */
  readonly dialects?: readonly ConformanceDialectName[];
  /** It says nothing without a model that answers at all. */
  readonly needsModel: boolean;
  /** Throws `ConformanceCaseFailedError` or `ConformanceCaseSkippedError`; any other error is a failure, too. */
  readonly run: (probe: ConformanceClient) => Promise<void>;
}
