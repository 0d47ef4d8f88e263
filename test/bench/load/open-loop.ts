import { setTimeout as delay } from "node:timers/promises";
import { openingCall, timedCall } from "./closed-loop.ts";
import { Connection } from "./connection.ts";
import { Deadline } from "./deadline.ts";
import type { LoadResult, OpenLoopJob } from "./load-job.ts";
import { Tally } from "./tally.ts";

/** Connections opened before the measured part; more are opened when all are busy. */
const openedBefore = 16;

/**
 * Sends requests at constant arrival: each when it is due, on a free connection,
 * so that a slow answer delays no other call. Latency counts from the write; how
 * late the client itself is does not count, since it shares its core.
 */
export async function runOpenLoop(job: OpenLoopJob): Promise<LoadResult> {
  const connections = Array.from({ length: openedBefore }, () => new Connection(job.port));
  using deadline = new Deadline(job.deadlineMs, connections);
  const request = Buffer.from(job.request);
  const tally = new Tally(job.serverPids);
  await Promise.all(connections.map((connection) => openingCall(connection, request, tally)));
  const free = [...connections];
  const send = async () => {
    const connection = free.pop() ?? added(connections, job.port);
    await timedCall(connection, request, tally);
    free.push(connection);
  };
  tally.start();
  const calls = await sendWhenDue(job, send, deadline);
  await Promise.all(calls);
  tally.stop();
  if (calls.length < job.requests) tally.failed("not sent", job.requests - calls.length);
  for (const connection of connections) connection.destroy();
  return tally.result();
}

function added(connections: Connection[], port: number): Connection {
  const connection = new Connection(port);
  connections.push(connection);
  return connection;
}

async function sendWhenDue(
  job: OpenLoopJob,
  send: () => Promise<void>,
  deadline: Deadline,
): Promise<Promise<void>[]> {
  const calls: Promise<void>[] = [];
  const startedAt = performance.now();
  while (calls.length < job.requests && !deadline.passed) {
    const due = Math.ceil(((performance.now() - startedAt) * job.perSecond) / 1000);
    while (calls.length < Math.min(due, job.requests)) calls.push(send());
    await delay(1);
  }
  return calls;
}
