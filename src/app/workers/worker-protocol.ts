import type { GeneratedOwnerCredentials } from "../../account/first-run.ts";
import type { BoundAddress } from "../../transport/front/listen.ts";
import type { HttpServiceName } from "../service-name.ts";

/** What the primary and its workers tell and ask each other, by kind. */
export const workerMessageKinds = {
  /** To a worker, first of all: a `WorkerServiceAssignment`. */
  assignment: "assignment",
  /** To the primary: a `WorkerReadyMessage`. */
  ready: "ready",
  /** To a worker: stop, and let what runs go on for the drain's time. */
  drain: "drain",
  /** To a worker: addresses on which other processes of this server listen. */
  listeners: "listeners",
  /** Asked of the primary: takes of one turn, answered by their readings in the same order. */
  takes: "takes",
  /** Asked of the primary: what all workers have counted. */
  allMetrics: "all-metrics",
  /** Asked of a worker: what it has counted. */
  metrics: "metrics",
} as const;

/** What a worker is to be. */
export interface WorkerServiceAssignment {
  readonly service: HttpServiceName;
  /** From 1, unique while the primary runs; of a replacement, that of the worker that it replaces. */
  readonly number: number;
  /** Processes of this server that use the database. */
  readonly processes: number;
  /** The port to listen on; 0 for any that is free. */
  readonly port: number;
  /** Where other processes of this server listen already. */
  readonly listeners: readonly BoundAddress[];
}

/** What a worker says when its service is ready. */
export interface WorkerReadyMessage {
  readonly service: HttpServiceName;
  readonly listeningUrl: string;
  readonly listening: BoundAddress;
  /** What the first start made, in embedded mode. */
  readonly firstOwner: GeneratedOwnerCredentials | undefined;
}

/** How long a call waits for its bucket; the primary answers within a millisecond as a rule. */
export const primaryProcessReplyTimeoutMs = 500;

/** How long a worker may take to print what it has counted. */
export const workerMetricsTimeoutMs = 1000;

/** The primary waits for the workers, and for itself. */
export const totalMetricsTimeoutMs = workerMetricsTimeoutMs + 500;
