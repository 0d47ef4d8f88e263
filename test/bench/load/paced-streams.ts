import { setTimeout as delay } from "node:timers/promises";
import { countTokens, tokenPeriodMs } from "../wire/response-sizes.ts";
import { Connection } from "./connection.ts";
import { Deadline } from "./deadline.ts";
import type { LoadResult, PacedStreamsJob } from "./load-job.ts";
import { Tally } from "./tally.ts";

/** A gap this long between two tokens of a stream is a stall. */
const stallMs = 10 * tokenPeriodMs;

/** Time between the last start and the window, in which the last stream begins to flow. */
const settleMs = 100;

/**
 * Holds streams side by side and takes the CPU time of the window in which all
 * of them run. Every stream must deliver all of its tokens; a missing one is an
 * error, a stall is counted.
 */
export async function runPacedStreams(job: PacedStreamsJob): Promise<LoadResult> {
  const progress: Progress = { tokens: 0, stalls: 0 };
  const tally = new Tally(job.serverPids);
  const connections = Array.from({ length: job.streams }, () => new Connection(job.port));
  using deadline = new Deadline(job.deadlineMs, connections);
  const request = Buffer.from(job.request);
  const streams = connections.map(async (connection, position) => {
    await delay((position * job.spreadMs) / job.streams);
    if (!deadline.passed) await readStream(job, connection, request, tally, progress);
  });
  const units = await measureWindow(job, tally, progress);
  await Promise.all(streams);
  for (const connection of connections) connection.destroy();
  return tally.result({ units, stalls: progress.stalls });
}

interface Progress {
  /** Tokens of all streams so far. */
  tokens: number;
  stalls: number;
}

/** Resolves with the tokens that came within the window. */
async function measureWindow(
  job: PacedStreamsJob,
  tally: Tally,
  progress: Progress,
): Promise<number> {
  await delay(job.spreadMs + settleMs);
  const before = progress.tokens;
  tally.start();
  await delay(job.windowMs);
  tally.stop();
  return progress.tokens - before;
}

async function readStream(
  job: PacedStreamsJob,
  connection: Connection,
  request: Buffer,
  tally: Tally,
  progress: Progress,
): Promise<void> {
  tally.called();
  const sentAt = performance.now();
  let tokens = 0;
  let lastAt = sentAt;
  let hasStalled = false;
  const onBody = (bytes: Buffer) => {
    const count = countTokens(bytes);
    if (count === 0) return;
    const now = performance.now();
    if (tokens === 0) tally.answered(now - sentAt);
    else if (now - lastAt > stallMs) hasStalled = true;
    lastAt = now;
    tokens += count;
    progress.tokens += count;
  };
  try {
    await connection.call(request, onBody);
    if (tokens !== job.tokensPerStream) throw new Error(`stream of ${tokens} tokens`);
  } catch (error) {
    tally.failed(error, Math.max(1, job.tokensPerStream - tokens));
  }
  if (hasStalled) progress.stalls++;
}
