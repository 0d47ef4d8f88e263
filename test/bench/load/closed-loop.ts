import { answerBytes } from "../wire/response-sizes.ts";
import { Connection } from "./connection.ts";
import { Deadline } from "./deadline.ts";
import type { ClosedLoopJob, LoadResult } from "./load-job.ts";
import { Tally } from "./tally.ts";

/**
 * Sends `requests` calls over `connections` connections. Connections, on both
 * sides of the server, are opened by one call each before the measured part.
 */
export async function runClosedLoop(job: ClosedLoopJob): Promise<LoadResult> {
  const connections = Array.from({ length: job.connections }, () => new Connection(job.port));
  using deadline = new Deadline(job.deadlineMs, connections);
  const request = Buffer.from(job.request);
  const tally = new Tally(job.serverPids);
  let left = job.requests;
  const work = async (connection: Connection) => {
    while (left > 0 && !deadline.passed) {
      left--;
      await timedCall(connection, request, tally);
    }
  };
  await Promise.all(connections.map((connection) => openingCall(connection, request, tally)));
  tally.start();
  await Promise.all(connections.map(work));
  tally.stop();
  if (left > 0) tally.failed("not sent before the deadline", left);
  for (const connection of connections) connection.destroy();
  return tally.result();
}

/** Makes one call and notes its latency or its failure. */
export async function timedCall(
  connection: Connection,
  request: Buffer,
  tally: Tally,
): Promise<void> {
  tally.called();
  const sentAt = performance.now();
  try {
    assertWhole(await connection.call(request));
    tally.answered(performance.now() - sentAt);
  } catch (error) {
    tally.failed(error);
  }
}

/** Makes one call of which only a failure is noted. */
export async function openingCall(
  connection: Connection,
  request: Buffer,
  tally: Tally,
): Promise<void> {
  tally.called();
  try {
    assertWhole(await connection.call(request));
  } catch (error) {
    tally.failed(error);
  }
}

/** Room for an answer that a gateway wrote anew. */
const smallestAnswer = answerBytes / 2;

function assertWhole(bodyBytes: number): void {
  if (bodyBytes < smallestAnswer) throw new Error(`answer of ${bodyBytes} bytes`);
}
