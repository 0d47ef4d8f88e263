import { systemClock, type Clock } from "../platform/clock.ts";
import { npmRegistries } from "../depshealth/ecosystem/npm-configuration.ts";
import type { Configuration } from "../platform/configuration/configuration.ts";
import { addressesOf } from "../platform/configuration/package-sources.ts";
import { ChangeFeed } from "../platform/database/change-feed.ts";
import type { StatementObserver } from "../platform/database/orm-logger.ts";
import { Dialer } from "../platform/dial/dialer.ts";
import { HeldBodies, type BodyPace } from "../platform/held-bodies.ts";
import { LoadShedder } from "../platform/load/load-shedder.ts";
import { watchEventLoop, type WatchLoop } from "../platform/load/loop-delay.ts";
import type { Logs } from "../platform/log.ts";
import type { RequestLimiters } from "../platform/rate-limit/request-limiter.ts";
import { createTracer } from "../platform/telemetry/create-tracer.ts";
import { createMetrics, type Metrics } from "../platform/telemetry/metrics.ts";
import { sendMetrics } from "../platform/telemetry/send-metrics.ts";
import type { Tracer } from "../platform/telemetry/tracer.ts";
import { RequestValidator } from "../transport/interceptors/validate.ts";
import type { Closers } from "./closers.ts";
import { giveBackMemory } from "../platform/speed/give-back-memory.ts";
import { openRequestLimiters } from "./request-limits/open-request-limiters.ts";
import { openStorage, type Storage } from "./open-storage.ts";
import type { ReachedDatabase } from "./start/reach-database.ts";
import type { Siblings } from "./siblings.ts";

export interface FoundationDependencies extends Logs {
  readonly configuration: Configuration;
  /** Where the standard variables of OpenTelemetry are read. */
  readonly environment: NodeJS.ProcessEnv;
  /** Where a start has begun to reach it already. */
  readonly database?: Promise<ReachedDatabase>;
  /** Processes of this server; 1 if omitted. */
  readonly processes?: number;
  /** What this process has of the others; undefined: it is alone, or shares nothing. */
  readonly siblings?: Siblings | undefined;
  /** Lets tests count statements. */
  readonly statementObserver?: StatementObserver;
  /** Lets tests say how late the event loop is. */
  readonly watchLoop?: WatchLoop;
  /** Lets tests say how slowly request bodies may arrive. */
  readonly bodyPace?: BodyPace;
}

/** What both services stand on. */
export interface Foundation extends Logs {
  readonly configuration: Configuration;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly dialer: Dialer;
  /** Not started yet: a start, which loads code, is no load. */
  readonly load: LoadShedder;
  readonly tracer: Tracer;
  readonly metrics: Metrics;
  readonly storage: Storage;
  /** Not started yet: whoever caches listens first. */
  readonly feed: ChangeFeed;
  readonly validator: RequestValidator;
  readonly requestLimiters: RequestLimiters;
  /** Of both services. */
  readonly bodies: HeldBodies;
}

/** Opens the foundation; `closers` gets what has to be closed. */
export async function openFoundation(
  dependencies: FoundationDependencies,
  closers: Closers,
): Promise<Foundation> {
  const { configuration, log, accessLog, environment, siblings } = dependencies;
  const metrics = createMetrics(siblings?.gatherMetrics);
  const clock = systemClock;
  const limiterParts = { configuration, clock, log, metrics, siblings };
  // While the database is reached.
  const limiters = openRequestLimiters(limiterParts, closers);
  const storage = await openStorage({ ...dependencies, clock });
  closers.add(() => storage.close());
  metrics.watchDatabasePool(() => storage.database.poolReading());
  const dialer = createDialer(configuration, environment);
  closers.add(() => dialer.close());
  const tracer = await createTracer(environment);
  const sentMetrics = await sendMetrics(environment, () => metrics.counted());
  // At once: each of them may wait for a collector that is away.
  closers.add(async () => void (await Promise.all([tracer.close(), sentMetrics.close()])));
  const feed = new ChangeFeed({ connectionString: storage.database.connectionString, log });
  closers.add(() => feed.close());
  metrics.watchChangeFeed(feed);
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
    validator: new RequestValidator(),
    requestLimiters: await limiters,
    bodies: createHeldBodies(dependencies),
  };
}

function createHeldBodies({ configuration, bodyPace }: FoundationDependencies): HeldBodies {
  return new HeldBodies(configuration.limits.heldBodiesMib, {
    giveBack: giveBackMemory,
    ...(bodyPace !== undefined && { pace: bodyPace }),
  });
}

function createLoadShedder(
  { configuration, log, watchLoop = watchEventLoop }: FoundationDependencies,
  metrics: Metrics,
): LoadShedder {
  const thresholdMs = configuration.limits.shedLoopDelayMs;
  const load = new LoadShedder({ thresholdMs, watchLoop, log });
  metrics.watchLoad(load);
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
      ...addressesOf(packageSources),
      ...npmRegistries(environment).map(({ base }) => base),
    ],
    connectMs: limits.connectMs,
  });
}
