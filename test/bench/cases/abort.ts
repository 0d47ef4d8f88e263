import type { LoadResult } from "../load/load-job.ts";
import type { CaseContext } from "./case.ts";
import { turnLimitMs } from "./limits.ts";
import type { Target } from "./participants.ts";
import { roundsCase } from "./rounds.ts";

const longestMs = 5000;

/** A caller leaves a stream: how long until the upstream's connection closes. */
export const abort = roundsCase({
  name: "abort",
  title: "a caller leaves a stream: time until the upstream connection closes",
  goal: "at most 100 ms",
  unit: undefined,
  latency: "upstream closed",
  added: "not taken",
  warmUp: "one turn",
  call: () => ({
    dialect: "chat",
    upstreamDialect: "chat",
    upstream: "streams",
    bytes: 1024,
    maxTokens: (2 * longestMs) / 20,
  }),
  measure: leaveOnce,
});

async function leaveOnce(target: Target, { load, ground }: CaseContext): Promise<LoadResult> {
  const left = ground.upstream.nextLeft(longestMs);
  const result = await load.run({
    kind: "aborted-stream",
    ...target,
    afterTokens: 2,
    deadlineMs: turnLimitMs,
  });
  const closedAtMs = await left;
  const { abortedAtMs } = result;
  if (closedAtMs === undefined || abortedAtMs === undefined) {
    const firstError = result.firstError ?? "the upstream connection stayed open";
    return { ...result, errors: Math.max(1, result.errors), firstError };
  }
  return { ...result, p50Ms: closedAtMs - abortedAtMs };
}
