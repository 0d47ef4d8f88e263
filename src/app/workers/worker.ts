import cluster from "node:cluster";
import {
  readConfiguration,
  type Configuration,
} from "../../platform/configuration/configuration.ts";
import { ConfigurationError } from "../../platform/configuration/configuration-error.ts";
import { ApiError } from "../../platform/errors.ts";
import { createLogs } from "../../platform/log.ts";
import type { SentReading } from "../../platform/rate-limit/primary-buckets.ts";
import type { Counted } from "../../platform/telemetry/counted.ts";
import { surviveUncaughtErrors } from "../../platform/uncaught/survive-uncaught-errors.ts";
import type { ListeningAddress } from "../../transport/front/listen.ts";
import type { Instance } from "../instance.ts";
import type { Siblings } from "../siblings.ts";
import { onStopSignals } from "../start/signals.ts";
import { startEarly, stopAndExit } from "../start/start-and-stop.ts";
import { Channel, type MessagePort } from "./channel.ts";
import { allMetricsMs, kinds, takesMs, type WorkerOrder } from "./conversation.ts";

/**
 * A process that the primary has started: one service, as it is told to. It
 * drains when the primary says so, when it gets a signal itself, and when the
 * primary is gone.
 */
export async function runWorker(): Promise<void> {
  const port = primaryPort();
  const channel = new Channel(port);
  const stopWish = listenForStop(port, channel);
  const order = await receiveOrder(channel);
  const configuration = configurationOf(order);
  const logs = await createLogs(configuration.logLevel, { worker: order.number });
  surviveUncaughtErrors(logs.log);
  const starting = startEarly({
    ...logs,
    configuration,
    services: [order.service],
    environment: process.env,
    processes: order.processes,
    siblings: order.service === "gateway" ? siblingsOver(channel) : undefined,
  });
  void stopWish.then((reason) => stopAndExit(starting, reason, logs.log));
  try {
    introduce(await starting, order, channel);
  } catch (error) {
    // Nothing but the channel would keep the process.
    process.channel?.unref();
    throw error;
  }
}

function primaryPort(): MessagePort {
  if (process.send === undefined) {
    throw new ConfigurationError("worker", "is started by `causeway serve` alone");
  }
  return process as MessagePort;
}

/** Resolves once, with why this process is to stop. A second signal ends it at once. */
function listenForStop(port: MessagePort, channel: Channel): Promise<string> {
  return new Promise((resolve) => {
    onStopSignals(resolve, () => process.exit(1));
    channel.onTold(kinds.drain, () => resolve("primary"));
    port.on("disconnect", () => resolve("the primary is gone"));
    // Node would end the process at once, with the streams in it, and leave the database running.
    const { worker } = cluster;
    worker?.on("disconnect", () => (worker.exitedAfterDisconnect = true));
  });
}

function receiveOrder(channel: Channel): Promise<WorkerOrder> {
  return new Promise((resolve) => {
    channel.onTold(kinds.order, (order) => resolve(order as WorkerOrder));
  });
}

function configurationOf({ service, port }: WorkerOrder): Configuration {
  const configuration = readConfiguration(process.env);
  return service === "gateway" ? { ...configuration, port } : { ...configuration, toolsPort: port };
}

function siblingsOver(channel: Channel): Siblings {
  return {
    askTakes: async (takes) => (await channel.ask(kinds.takes, takes, takesMs)) as SentReading[],
    gatherMetrics: () => gatherMetrics(channel),
  };
}

/** Better none than those of this process alone, after which every sum would seem to have fallen. */
async function gatherMetrics(channel: Channel): Promise<readonly Counted[]> {
  try {
    return (await channel.ask(kinds.allMetrics, null, allMetricsMs)) as Counted[];
  } catch {
    throw new ApiError("unavailable", "The other processes of this server do not answer.");
  }
}

/** Makes the instance known to the primary, and the other processes to it. */
function introduce(instance: Instance, { listeners }: WorkerOrder, channel: Channel): void {
  const { services, metrics, firstOwner } = instance;
  instance.refuseDialsTo(listeners);
  channel.onTold(kinds.listeners, (addresses) =>
    instance.refuseDialsTo(addresses as ListeningAddress[]),
  );
  channel.onAsked(kinds.metrics, () => metrics.counted());
  for (const { name: service, listeningUrl, listening } of services) {
    channel.tell(kinds.ready, { service, listeningUrl, listening, firstOwner });
  }
}
