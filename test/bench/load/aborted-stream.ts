import { monotonicMs } from "../running/monotonic-clock.ts";
import { countTokens } from "../wire/response-sizes.ts";
import { Connection } from "./connection.ts";
import { Deadline } from "./deadline.ts";
import type { AbortedStreamJob, LoadResult } from "./load-job.ts";
import { Tally } from "./tally.ts";

/** Leaves a stream after a few tokens and tells when. A stream that ends before is an error. */
export async function runAbortedStream(job: AbortedStreamJob): Promise<LoadResult> {
  const connection = new Connection(job.port);
  using deadline = new Deadline(job.deadlineMs, [connection]);
  const tally = new Tally([]);
  let tokens = 0;
  let abortedAtMs: number | undefined;
  const onBody = (bytes: Buffer) => {
    tokens += countTokens(bytes);
    if (tokens < job.afterTokens || abortedAtMs !== undefined) return;
    abortedAtMs = monotonicMs();
    connection.destroy();
  };
  tally.called();
  const outcome = await connection.call(Buffer.from(job.request), onBody).then(
    () => "ended before it was left",
    (error: Error) => error.message,
  );
  if (abortedAtMs === undefined) tally.failed(deadline.passed ? "deadline" : outcome);
  return tally.result({ units: 1, abortedAtMs });
}
