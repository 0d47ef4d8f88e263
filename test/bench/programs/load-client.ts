/** The load client: takes one job after the other from its parent and answers each with a result. */
import { runAbortedStream } from "../load/aborted-stream.ts";
import { runClosedLoop } from "../load/closed-loop.ts";
import type { LoadJob, LoadResult } from "../load/load-job.ts";
import { runOpenLoop } from "../load/open-loop.ts";
import { runPacedStreams } from "../load/paced-streams.ts";

function run(job: LoadJob): Promise<LoadResult> {
  switch (job.kind) {
    case "closed-loop":
      return runClosedLoop(job);
    case "open-loop":
      return runOpenLoop(job);
    case "paced-streams":
      return runPacedStreams(job);
    default:
      return runAbortedStream(job);
  }
}

process.on("message", (job: LoadJob) => {
  void run(job).then((result) => process.send?.(result));
});
process.on("disconnect", () => process.exit());
process.stdout.write("load client ready\n");
