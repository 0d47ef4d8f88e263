import cluster from "node:cluster";
import { monotonicClock } from "../../platform/clock.ts";
import type { Configuration } from "../../platform/configuration/configuration.ts";
import { ConfigurationError } from "../../platform/configuration/configuration-error.ts";
import { flushLog, type Logger } from "../../platform/log.ts";
import {
  handleRateLimitTakes,
  type RateLimitTakeMessage,
} from "../../platform/rate-limit/primary-buckets.ts";
import { RateLimitBuckets } from "../../platform/rate-limit/request-buckets.ts";
import { startMetricsExport } from "../../platform/telemetry/metrics-export.ts";
import { printReadyLines } from "../start/print-ready-lines.ts";
import { assertListenAddressesAvailable, readListenAddress } from "../start/listen-address.ts";
import type { HttpServiceName } from "../service-name.ts";
import { onStopSignals } from "../start/signals.ts";
import { workerMessageKinds, type WorkerReadyMessage } from "./worker-protocol.ts";
import { WorkerProcessSupervisor, WorkerStartError } from "./worker-pool.ts";
import { WorkerMetricsCollector } from "./worker-metrics.ts";
import type { WorkerExit } from "./worker-process.ts";

export interface PrimaryDependencies {
  readonly configuration: Configuration;
  readonly services: readonly HttpServiceName[];
  readonly log: Logger;
}

/** What a worker may take beyond the drain's time, to close what it has open. */
const closingMs = 20_000;

/**
 * Serves with several gateway processes, and one for the tools where they are
 * asked for. This process only starts them, hands them connections and keeps what
 * they share: request buckets and counters. It has neither database nor services.
 */
export async function serveWithWorkerProcesses(dependencies: PrimaryDependencies): Promise<void> {
  const { configuration, services, log } = dependencies;
  rejectToNest();
  await assertListenAddressesAvailable(
    services.map((name) => readListenAddress(name, configuration)),
  );
  const counts = new WorkerMetricsCollector();
  const crew = createCrew(dependencies, counts);
  const ownCounts = async () => counts.local(crew.ready("gateway").length);
  const sentMetrics = await startMetricsExport(process.env, ownCounts);
  const limitMs = configuration.drainSeconds * 1000 + closingMs;
  const end = async (codeOf: (ends: readonly WorkerExit[]) => number) => {
    const code = codeOf(await crew.stop(limitMs));
    await sentMetrics.close();
    await flushLog(log);
    process.exit(code);
  };
  let isStopping = false;
  const stop = (signal: string): void => {
    isStopping = true;
    log.info({ signal }, "draining");
    void end(exitCodeOf);
  };
  const stopNow = (): void => {
    crew.kill();
    process.exit(1);
  };
  onStopSignals(stop, stopNow);
  try {
    const reports = await crew.start();
    if (!isStopping) announceAll(reports);
  } catch (error) {
    if (!(error instanceof WorkerStartError)) throw error;
    // Stopped while it started: whoever stopped it ends this process too.
    if (!isStopping) await end(() => failureCodeOf(error.end, log));
  }
}

/** One above the other would share ports that neither knows of. */
function rejectToNest(): void {
  if (cluster.isPrimary) return;
  throw new ConfigurationError(
    "CAUSEWAY_WORKERS",
    "must be 1 in a process that is a worker of another Node cluster (PM2's cluster mode, for instance)",
  );
}

function createCrew(
  { configuration, services, log }: PrimaryDependencies,
  counts: WorkerMetricsCollector,
): WorkerProcessSupervisor {
  const buckets = new RateLimitBuckets(monotonicClock);
  const gateways = Array.from({ length: configuration.workers }, () => "gateway" as const);
  const crew = new WorkerProcessSupervisor({
    services: [...gateways, ...services.filter((name) => name !== "gateway")],
    ports: { gateway: configuration.port, tools: configuration.toolsPort },
    log,
    onStart: ({ channel }) => {
      channel.onRequest(workerMessageKinds.takes, (takes) =>
        handleRateLimitTakes(buckets, takes as RateLimitTakeMessage[]),
      );
      channel.onRequest(workerMessageKinds.allMetrics, () => counts.collect(crew.ready("gateway")));
    },
    onDeath: (worker) => counts.retire(worker),
  });
  return crew;
}

function announceAll(reports: readonly WorkerReadyMessage[]): void {
  const seen = new Map(reports.map((report) => [report.service, report]));
  const services = [...seen.values()].map(({ service, ...rest }) => ({ name: service, ...rest }));
  printReadyLines(services, reports.find(({ firstOwner }) => firstOwner !== undefined)?.firstOwner);
}

/** The worker has told why in a line of its own, unless it was killed. */
function failureCodeOf({ code, signal }: WorkerExit, log: Logger): number {
  if (code === null) log.fatal({ signal }, "a worker was ended before it was ready");
  return code === null || code === 0 ? 1 : code;
}

/** A worker that a signal to the whole group ended before it could hear it had nothing to finish. */
function exitCodeOf(ends: readonly WorkerExit[]): number {
  const failed = ends.find(({ code, signal }) =>
    code === null ? signal !== "SIGTERM" && signal !== "SIGINT" : code !== 0,
  );
  return failed === undefined ? 0 : (failed.code ?? 1);
}
