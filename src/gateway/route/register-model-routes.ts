import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { DialectSurface } from "../../dialect/dialect-surface.ts";
import { surfaces } from "../../dialect/surfaces.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Limits } from "../../platform/configuration/configuration.ts";
import type { LoadGate } from "../../platform/load/load-shedder.ts";
import type { RequestLimiter } from "../../platform/rate-limit/request-limiter.ts";
import type { TranscodeDependencies } from "../transcode/prepare-transcode.ts";
import { callLimits, type CallLimits } from "../call/call-limits.ts";
import { admitCall, type Admission } from "../admission/admit-call.ts";
import { CallsUnderWay } from "../admission/calls-under-way.ts";
import { CallWatch } from "../call/call-watch.ts";
import type { ArrivedCall } from "../call/model-call.ts";
import type { CallDialer, KeyAuthenticator, ReadDialFailure } from "../ports.ts";
import type { Directories } from "../routing/owned-targets.ts";
import type { Routing } from "../routing/plan-pool.ts";
import { CallJourney, type CallObserver, type JourneyDependencies } from "../call-journey.ts";
import { queryOf } from "./query-of.ts";

/** Everything the model routes work with. */
export interface ModelRouteDependencies extends Pick<
  JourneyDependencies,
  "agents" | "bodies" | "docUrl" | "durableTurns" | "keeper" | "ledger" | "streams" | "usableModels"
> {
  readonly load: LoadGate;
  readonly authenticator: KeyAuthenticator;
  readonly directories: Directories;
  readonly dialer: CallDialer;
  readonly dialFailure: ReadDialFailure;
  /** Of model calls, by key id. */
  readonly buckets: RequestLimiter;
  readonly limits: Limits;
  /** Replaces limits that the contract fixes, in tests. */
  readonly callLimits?: Partial<CallLimits>;
  readonly clock: Clock;
  readonly transcoding: Omit<TranscodeDependencies, "clock">;
  readonly routing: Omit<Routing, "turns">;
  /** Who hears what becomes of the call of a request. */
  readonly observe: (request: FastifyRequest) => CallObserver;
}

/** A handle on the model routes of one application. */
export interface ModelRoutes {
  /** Calls that wait for an upstream or stream from it. */
  readonly callsInFlight: number;
  /** What each call is served with. */
  readonly journey: JourneyDependencies;
  /** Ends every call in flight with its dialect's error: the drain deadline has passed. */
  closeStreams(): void;
}

/**
 * Mounts the model calls: bodies stay bytes, refusals are in the caller's dialect,
 * answers are written past Fastify. A credential is judged before the body is read.
 */
export function registerModelRoutes(
  app: FastifyInstance,
  dependencies: ModelRouteDependencies,
): ModelRoutes {
  const limits = { ...callLimits(dependencies.limits), ...dependencies.callLimits };
  const watch = new CallWatch(precisionOf(limits));
  const journey = journeyDependencies(dependencies, limits, watch);
  app.addHook("onClose", async () => watch.close());
  for (const surface of surfaces) mount(app, surface, journey, dependencies.observe);
  return {
    get callsInFlight() {
      return watch.size;
    },
    journey,
    closeStreams: () => watch.drain(),
  };
}

function journeyDependencies(
  dependencies: ModelRouteDependencies,
  limits: CallLimits,
  watch: CallWatch,
): JourneyDependencies {
  const { load, authenticator, buckets, directories, clock } = dependencies;
  const admission: Admission = {
    load,
    authenticator,
    buckets,
    defaultLimit: dependencies.limits,
    underWay: new CallsUnderWay(),
    concurrentRequests: dependencies.limits.concurrentRequests,
    processRequests: dependencies.limits.processRequests,
    clock,
  };
  return {
    admit: (arrived, progress) => admitCall(admission, arrived, progress),
    durableTurns: dependencies.durableTurns,
    agents: dependencies.agents,
    directories,
    usableModels: dependencies.usableModels,
    dialer: dependencies.dialer,
    dialFailure: dependencies.dialFailure,
    limits,
    watch,
    ledger: dependencies.ledger,
    keeper: dependencies.keeper,
    clock,
    transcoding: { ...dependencies.transcoding, clock },
    routing: { ...dependencies.routing, turns: dependencies.transcoding.turns },
    maxBodyBytes: dependencies.limits.maxBodyMib * 1024 * 1024,
    bodies: dependencies.bodies,
    docUrl: dependencies.docUrl,
    streams: dependencies.streams,
  };
}

/** How often the limits are looked at: a quarter of the shortest, a second at most. */
function precisionOf(limits: CallLimits): number {
  return Math.max(10, Math.min(1000, ...Object.values(limits).map((limit) => limit / 4)));
}

/**
 * Takes each call over in the first hook: Fastify's own way through parsers and
 * handlers has nothing to add to it.
 */
function mount(
  app: FastifyInstance,
  surface: DialectSurface,
  dependencies: JourneyDependencies,
  observe: ModelRouteDependencies["observe"],
): void {
  app.route({
    method: "POST",
    url: `/v1${surface.path}`,
    onRequest: (request, reply) => {
      reply.hijack();
      const observer = observe(request);
      const arrived = arrivedCall(observer, surface, request.raw);
      new CallJourney(dependencies, observer, arrived, request.raw, reply.raw).start();
    },
    handler: neverReached,
  });
}

function arrivedCall(
  { requestId, address, startedAt }: CallObserver,
  surface: DialectSurface,
  request: IncomingMessage,
): ArrivedCall {
  return {
    requestId,
    address,
    surface,
    query: queryOf(request),
    headers: request.headers,
    startedAt,
  };
}

function neverReached(): never {
  throw new Error("A model call went past the hook that serves it.");
}
