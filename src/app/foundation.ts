import type { UnknownCredentialRateLimit } from "../account/unknown-credential-limiter.ts";
import { monotonicClock, systemClock, type Clock } from "../platform/clock.ts";
import { readNpmRegistrySettings } from "../depshealth/ecosystem/npm-configuration.ts";
import type { Configuration } from "../platform/configuration/configuration.ts";
import { listPackageSourceAddresses } from "../platform/configuration/package-sources.ts";
import { DatabaseChangeFeed } from "../platform/database/change-feed.ts";
import type { StatementTextObserver } from "../platform/database/orm-logger.ts";
import { Dialer } from "../platform/dial/dialer.ts";
import {
  RequestBodyMemoryBudget,
  type MinimumRequestBodyRate,
} from "../platform/body-memory-budget.ts";
import { LoadShedder } from "../platform/load/load-shedder.ts";
import { watchEventLoopDelay, type EventLoopDelayMonitor } from "../platform/load/loop-delay.ts";
import type { ProcessLoggers } from "../platform/log.ts";
import type { RequestRateLimiters } from "../platform/rate-limit/request-limiter.ts";
import { createTracer } from "../platform/telemetry/create-tracer.ts";
import { createMetrics, type Metrics } from "../platform/telemetry/metrics.ts";
import { startMetricsExport } from "../platform/telemetry/metrics-export.ts";
import type { Tracer } from "../platform/telemetry/tracer.ts";
import { RequestValidator } from "../transport/interceptors/validate.ts";
import type { CleanupStack } from "./cleanup-stack.ts";
import { forceGarbageCollection } from "../platform/speed/release-memory.ts";
import { openRequestRateLimiters } from "./request-limits/open-request-limiters.ts";
import { openDatabaseStorage, type DatabaseWithSecretBox } from "./open-storage.ts";
import type { DatabaseServerHandle } from "./start/open-database-server.ts";
import type { PrimaryProcessClient } from "./peer-processes.ts";

export interface SharedResourcesDependencies extends ProcessLoggers {
  readonly configuration: Configuration;
  /** Where the standard variables of OpenTelemetry are read. */
  readonly environment: NodeJS.ProcessEnv;
  /** Where a start has begun to reach it already. */
  readonly database?: Promise<DatabaseServerHandle>;
  /** Processes of this server; 1 if omitted. */
  readonly processes?: number;
  /** What this process has of the others; undefined: it is alone, or shares nothing. */
  readonly peers?: PrimaryProcessClient | undefined;
  /** Lets tests count statements. */
  readonly statementObserver?: StatementTextObserver;
  /** Lets tests say how late the event loop is. */
  readonly watchLoop?: EventLoopDelayMonitor;
  /** Lets tests say how slowly request bodies may arrive. */
  readonly bodyPace?: MinimumRequestBodyRate;
  /** Lets tests say how many unknown credentials are looked up. */
  readonly lookUpAllowance?: UnknownCredentialRateLimit;
  /** Lets the instances of a test process share the compiled rules of requests. */
  readonly validator?: RequestValidator;
}

/** What both services stand on. */
export interface SharedResources extends ProcessLoggers {
  readonly configuration: Configuration;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly dialer: Dialer;
  /** Not started yet: a start, which loads code, is no load. */
  readonly load: LoadShedder;
  readonly tracer: Tracer;
  readonly metrics: Metrics;
  readonly storage: DatabaseWithSecretBox;
  /** Not started yet: whoever caches listens first. */
  readonly feed: DatabaseChangeFeed;
  readonly validator: RequestValidator;
  readonly requestLimiters: RequestRateLimiters;
  /** How many unknown credentials are looked up; the usual number if undefined. */
  readonly lookUpAllowance: UnknownCredentialRateLimit | undefined;
  /** Of both services. */
  readonly bodyMemory: RequestBodyMemoryBudget;
}

/** Opens the foundation; `closers` gets what has to be closed. */
export async function openSharedResources(
  dependencies: SharedResourcesDependencies,
  closers: CleanupStack,
): Promise<SharedResources> {
  const { configuration, log, accessLog, environment, peers: siblings } = dependencies;
  const metrics = createMetrics(siblings?.collectMetrics);
  const clock = systemClock;
  const limiterParts = { configuration, clock: monotonicClock, log, metrics, siblings };
  // While the database is reached.
  const limiters = openRequestRateLimiters(limiterParts, closers);
  const storage = await openDatabaseStorage({ ...dependencies, clock });
  closers.add(() => storage.close());
  metrics.observeDatabasePool(() => storage.database.poolStats());
  const dialer = createDialer(configuration, environment);
  closers.add(() => dialer.close());
  const tracer = await createTracer(environment);
  const sentMetrics = await startMetricsExport(environment, () => metrics.snapshot());
  // At once: each of them may wait for a collector that is away.
  closers.add(async () => void (await Promise.all([tracer.close(), sentMetrics.close()])));
  const feed = new DatabaseChangeFeed({ connectionString: storage.database.connectionString, log });
  closers.add(() => feed.close());
  metrics.observeChangeFeed(feed);
  return {
    configuration,
    environment,
    log,
    accessLog,
    clock,
    dialer,
    load: createLoadShedder(dependencies, metrics),
    tracer,
    metrics,
    storage,
    feed,
    validator: dependencies.validator ?? new RequestValidator(),
    requestLimiters: await limiters,
    lookUpAllowance: dependencies.lookUpAllowance,
    bodyMemory: createHeldBodies(dependencies),
  };
}

function createHeldBodies({
  configuration,
  bodyPace,
}: SharedResourcesDependencies): RequestBodyMemoryBudget {
  return new RequestBodyMemoryBudget(configuration.limits.heldBodiesMib, {
    giveBack: forceGarbageCollection,
    ...(bodyPace !== undefined && { pace: bodyPace }),
  });
}

function createLoadShedder(
  { configuration, log, watchLoop = watchEventLoopDelay }: SharedResourcesDependencies,
  metrics: Metrics,
): LoadShedder {
  const thresholdMs = configuration.limits.shedLoopDelayMs;
  const load = new LoadShedder({ thresholdMs, watchLoop, log });
  metrics.observeLoad(load);
  return load;
}

function createDialer(
  { upstreamAllow, vendors, packageSources, limits }: Configuration,
  environment: NodeJS.ProcessEnv,
): Dialer {
  return new Dialer({
    allow: upstreamAllow,
    operatorAddresses: [
      ...Object.values(vendors).map(({ baseUrl }) => baseUrl),
      ...Object.values(vendors).flatMap(({ tokenEndpoint: endpoint }) => endpoint?.url ?? []),
      ...listPackageSourceAddresses(packageSources),
      ...readNpmRegistrySettings(environment).map(({ base }) => base),
    ],
    connectMs: limits.connectMs,
  });
}
