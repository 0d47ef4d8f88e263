import { fork, type ChildProcess } from "node:child_process";
import cluster from "node:cluster";
import type { HttpServiceName } from "../service-name.ts";
import { WorkerMessageChannel } from "./channel.ts";
import {
  workerMessageKinds,
  type WorkerReadyMessage,
  type WorkerServiceAssignment,
} from "./worker-protocol.ts";
import type { OrphanedClientSocketCloser } from "./orphaned-connections.ts";

/** How a worker ended; both null when it could not even be started. */
export interface WorkerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process that this one, the primary, has started. */
export interface WorkerProcess {
  readonly service: HttpServiceName;
  readonly number: number;
  readonly channel: WorkerMessageChannel;
  /** What it says when it is ready; undefined when it ended before. */
  readonly ready: Promise<WorkerReadyMessage | undefined>;
  readonly ended: Promise<WorkerExit>;
  /** Lets it finish what it does, and end. */
  drain(): void;
  /** Ends it at once. */
  kill(): void;
}

/** Starts a worker, with the flags and the environment of this process. */
export function spawnWorkerProcess(
  assignment: WorkerServiceAssignment,
  connections: OrphanedClientSocketCloser,
): WorkerProcess {
  const child = assignment.service === "gateway" ? forkGateway() : forkAlone();
  if (assignment.service === "gateway") connections.watch(child);
  const channel = new WorkerMessageChannel(child);
  channel.notify(workerMessageKinds.assignment, assignment);
  const ended = endOf(child);
  const report = new Promise<WorkerReadyMessage>((resolve) => {
    channel.onNotification(workerMessageKinds.ready, (ready) =>
      resolve(ready as WorkerReadyMessage),
    );
  });
  return {
    service: assignment.service,
    number: assignment.number,
    channel,
    ready: Promise.race([report, ended.then(() => undefined)]),
    ended,
    drain: () => channel.notify(workerMessageKinds.drain),
    kill: () => void child.kill("SIGKILL"),
  };
}

const words = ["worker"];

/**
 * A gateway shares its port with the others: the primary accepts the connections
 * and hands them out in turn, to those that are free to take one. Left to the
 * system, most of 64 connections that come at once went to one of four processes.
 */
function forkGateway(): ChildProcess {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ args: words });
  const worker = cluster.fork();
  // Told by the process too, which is listened to.
  worker.on("error", () => undefined);
  return worker.process;
}

/** The tools service has its port for itself. */
function forkAlone(): ChildProcess {
  return fork(process.argv[1] ?? "", words);
}

function endOf(child: ChildProcess): Promise<WorkerExit> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.on("error", () => {
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
  });
}
