import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { DialectOperation } from "../../dialect/dialect-surface.ts";
import { allDialectOperations } from "../../dialect/surfaces.ts";
import type { Clock } from "../../platform/clock.ts";
import type { ConfiguredRequestLimits } from "../../platform/configuration/configuration.ts";
import type { LoadAdmissionCheck } from "../../platform/load/load-shedder.ts";
import type { RequestRateLimiter } from "../../platform/rate-limit/request-limiter.ts";
import type { TranscodeDependencies } from "../transcode/prepare-transcode.ts";
import { buildCallTimeouts, type CallTimeouts } from "../call/call-timeouts.ts";
import { admitCall, type AdmissionDependencies } from "../admission/admit-call.ts";
import { InFlightCallCounter } from "../admission/in-flight-calls.ts";
import { InFlightCallTimeoutMonitor } from "../call/in-flight-monitor.ts";
import type { ReceivedModelCall } from "../call/model-call.ts";
import type {
  HttpDispatcherProvider,
  CallerKeyAuthenticator,
  DialFailureClassifier,
} from "../ports.ts";
import type { ModelResolutionLookups } from "../routing/account-targets.ts";
import type { RoutingDependencies } from "../routing/plan-pool.ts";
import {
  ModelCallPipeline,
  type CallEndObserver,
  type ModelCallPipelineDependencies,
} from "../model-call-pipeline.ts";
import { rawQueryString } from "./query-string.ts";

/** Everything the model routes work with. */
export interface ModelRouteDependencies extends Pick<
  ModelCallPipelineDependencies,
  | "agents"
  | "bodies"
  | "docUrl"
  | "durableTurns"
  | "recorder"
  | "ledger"
  | "streams"
  | "usableModels"
> {
  readonly load: LoadAdmissionCheck;
  readonly authenticator: CallerKeyAuthenticator;
  readonly directories: ModelResolutionLookups;
  readonly dialer: HttpDispatcherProvider;
  readonly classifyDialFailure: DialFailureClassifier;
  /** Of model calls, by key id. */
  readonly buckets: RequestRateLimiter;
  readonly limits: ConfiguredRequestLimits;
  /** Replaces limits that the contract fixes, in tests. */
  readonly callLimits?: Partial<CallTimeouts>;
  readonly clock: Clock;
  readonly transcoding: Omit<TranscodeDependencies, "clock">;
  readonly routing: Omit<RoutingDependencies, "turns">;
  /** Who hears what becomes of the call of a request. */
  readonly observe: (request: FastifyRequest) => CallEndObserver;
}

/** A handle on the model routes of one application. */
export interface ModelRoutesHandle {
  /** Calls that wait for an upstream or stream from it. */
  readonly callsInFlight: number;
  /** What each call is served with. */
  readonly pipeline: ModelCallPipelineDependencies;
  /** Ends every call in flight with its dialect's error: the drain deadline has passed. */
  closeStreams(): void;
}

/**
 * Mounts the model calls: bodies stay bytes, refusals are in the caller's dialect,
 * answers are written past Fastify. A credential is judged before the body is read.
 */
export function registerModelCallRoutes(
  app: FastifyInstance,
  dependencies: ModelRouteDependencies,
): ModelRoutesHandle {
  const limits = { ...buildCallTimeouts(dependencies.limits), ...dependencies.callLimits };
  const watch = new InFlightCallTimeoutMonitor(precisionOf(limits));
  const journey = journeyDependencies(dependencies, limits, watch);
  app.addHook("onClose", async () => watch.close());
  for (const surface of allDialectOperations) mount(app, surface, journey, dependencies.observe);
  return {
    get callsInFlight() {
      return watch.size;
    },
    pipeline: journey,
    closeStreams: () => watch.drain(),
  };
}

function journeyDependencies(
  dependencies: ModelRouteDependencies,
  limits: CallTimeouts,
  watch: InFlightCallTimeoutMonitor,
): ModelCallPipelineDependencies {
  const { load, authenticator, buckets, directories, clock } = dependencies;
  const admission: AdmissionDependencies = {
    load,
    authenticator,
    buckets,
    defaultLimit: dependencies.limits,
    inFlight: new InFlightCallCounter(),
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
    classifyDialFailure: dependencies.classifyDialFailure,
    limits,
    watch,
    ledger: dependencies.ledger,
    recorder: dependencies.recorder,
    clock,
    transcoding: { ...dependencies.transcoding, clock },
    routing: { ...dependencies.routing, turns: dependencies.transcoding.storedResponses },
    maxBodyBytes: dependencies.limits.maxBodyMib * 1024 * 1024,
    bodies: dependencies.bodies,
    docUrl: dependencies.docUrl,
    streams: dependencies.streams,
  };
}

/** How often the limits are looked at: a quarter of the shortest, a second at most. */
function precisionOf(limits: CallTimeouts): number {
  return Math.max(10, Math.min(1000, ...Object.values(limits).map((limit) => limit / 4)));
}

/**
 * Takes each call over in the first hook: Fastify's own way through parsers and
 * handlers has nothing to add to it.
 */
function mount(
  app: FastifyInstance,
  surface: DialectOperation,
  dependencies: ModelCallPipelineDependencies,
  observe: ModelRouteDependencies["observe"],
): void {
  app.route({
    method: "POST",
    url: `/v1${surface.path}`,
    onRequest: (request, reply) => {
      reply.hijack();
      const observer = observe(request);
      const arrived = arrivedCall(observer, surface, request.raw);
      new ModelCallPipeline(dependencies, observer, arrived, request.raw, reply.raw).start();
    },
    handler: requestNotRead,
  });
}

function arrivedCall(
  { requestId, address, startedAt }: CallEndObserver,
  surface: DialectOperation,
  request: IncomingMessage,
): ReceivedModelCall {
  return {
    requestId,
    address,
    surface,
    query: rawQueryString(request),
    headers: request.headers,
    startedAt,
  };
}

function requestNotRead(): never {
  throw new Error("A model call went past the hook that serves it.");
}
