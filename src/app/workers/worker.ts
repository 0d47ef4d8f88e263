import cluster from "node:cluster";
import {
  readConfiguration,
  type Configuration,
} from "../../platform/configuration/configuration.ts";
import { ConfigurationError } from "../../platform/configuration/configuration-error.ts";
import { ApiError } from "../../platform/errors.ts";
import { createProcessLoggers } from "../../platform/log.ts";
import type { RateLimitStateMessage } from "../../platform/rate-limit/primary-buckets.ts";
import type { MetricsRegistrySnapshot } from "../../platform/telemetry/metrics-snapshot.ts";
import { installUncaughtErrorHandler } from "../../platform/uncaught/survive-uncaught-errors.ts";
import type { BoundAddress } from "../../transport/front/listen.ts";
import type { ServerInstance } from "../instance.ts";
import type { PrimaryProcessClient } from "../peer-processes.ts";
import { onStopSignals } from "../start/signals.ts";
import { startServerAfterChecks, stopServerAndExit } from "../start/start-and-stop.ts";
import { WorkerMessageChannel, type ProcessMessagePort } from "./channel.ts";
import {
  totalMetricsTimeoutMs,
  workerMessageKinds,
  primaryProcessReplyTimeoutMs,
  type WorkerServiceAssignment,
} from "./worker-protocol.ts";

/**
 * A process that the primary has started: one service, as it is told to. It
 * drains when the primary says so, when it gets a signal itself, and when the
 * primary is gone.
 */
export async function runWorkerProcess(): Promise<void> {
  const port = primaryPort();
  const channel = new WorkerMessageChannel(port);
  const stopWish = listenForStop(port, channel);
  const assignment = await receiveAssignment(channel);
  const configuration = configurationOf(assignment);
  const logs = await createProcessLoggers(configuration.logLevel, { worker: assignment.number });
  installUncaughtErrorHandler(logs.log);
  const starting = startServerAfterChecks({
    ...logs,
    configuration,
    services: [assignment.service],
    environment: process.env,
    processes: assignment.processes,
    peers: assignment.service === "gateway" ? createPeerProcesses(channel) : undefined,
  });
  void stopWish.then((reason) => stopServerAndExit(starting, reason, logs.log));
  try {
    reportReady(await starting, assignment, channel);
  } catch (error) {
    // Nothing but the channel would keep the process.
    process.channel?.unref();
    throw error;
  }
}

function primaryPort(): ProcessMessagePort {
  if (process.send === undefined) {
    throw new ConfigurationError("worker", "is started by `causeway serve` alone");
  }
  return process as ProcessMessagePort;
}

/** Resolves once, with why this process is to stop. A second signal ends it at once. */
function listenForStop(port: ProcessMessagePort, channel: WorkerMessageChannel): Promise<string> {
  return new Promise((resolve) => {
    onStopSignals(resolve, () => process.exit(1));
    channel.onNotification(workerMessageKinds.drain, () => resolve("primary"));
    port.on("disconnect", () => resolve("the primary is gone"));
    // Node would end the process at once, with the streams in it, and leave the database running.
    const { worker } = cluster;
    worker?.on("disconnect", () => (worker.exitedAfterDisconnect = true));
  });
}

function receiveAssignment(channel: WorkerMessageChannel): Promise<WorkerServiceAssignment> {
  return new Promise((resolve) => {
    channel.onNotification(workerMessageKinds.assignment, (assignment) =>
      resolve(assignment as WorkerServiceAssignment),
    );
  });
}

function configurationOf({ service, port }: WorkerServiceAssignment): Configuration {
  const configuration = readConfiguration(process.env);
  return service === "gateway" ? { ...configuration, port } : { ...configuration, toolsPort: port };
}

function createPeerProcesses(channel: WorkerMessageChannel): PrimaryProcessClient {
  return {
    takeTokens: async (takes) =>
      (await channel.request(
        workerMessageKinds.takes,
        takes,
        primaryProcessReplyTimeoutMs,
      )) as RateLimitStateMessage[],
    collectMetrics: () => gatherMetrics(channel),
  };
}

/** Better none than those of this process alone, after which every sum would seem to have fallen. */
async function gatherMetrics(
  channel: WorkerMessageChannel,
): Promise<readonly MetricsRegistrySnapshot[]> {
  try {
    return (await channel.request(
      workerMessageKinds.allMetrics,
      null,
      totalMetricsTimeoutMs,
    )) as MetricsRegistrySnapshot[];
  } catch {
    throw new ApiError("unavailable", "The other processes of this server do not answer.");
  }
}

/** Makes the instance known to the primary, and the other processes to it. */
function reportReady(
  instance: ServerInstance,
  { listeners }: WorkerServiceAssignment,
  channel: WorkerMessageChannel,
): void {
  const { services, metrics, firstOwner } = instance;
  instance.blockDialsTo(listeners);
  channel.onNotification(workerMessageKinds.listeners, (addresses) =>
    instance.blockDialsTo(addresses as BoundAddress[]),
  );
  channel.onRequest(workerMessageKinds.metrics, () => metrics.snapshot());
  for (const { name: service, listeningUrl, listening } of services) {
    channel.notify(workerMessageKinds.ready, { service, listeningUrl, listening, firstOwner });
  }
}
