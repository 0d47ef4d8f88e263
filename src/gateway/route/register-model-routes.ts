import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { chatSurface } from "../../dialect/chat/index.ts";
import type { DialectSurface } from "../../dialect/dialect-surface.ts";
import { messagesSurface } from "../../dialect/messages/index.ts";
import { responsesSurface } from "../../dialect/responses/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Limits, VendorDefinition } from "../../platform/configuration/configuration.ts";
import { ApiError, invalidRequest } from "../../platform/errors.ts";
import { RequestBuckets } from "../../platform/rate-limit/request-buckets.ts";
import { callLimits, type CallLimits } from "../call-limits.ts";
import { CallWatch } from "../call-watch.ts";
import type {
  CallDialer,
  KeyAuthenticator,
  ReadDialFailure,
  UpstreamDirectory,
  VendorDirectory,
  Warm,
} from "../ports.ts";
import { CallSession, type CallObserver, type SessionDependencies } from "./call-session.ts";
import { readBody } from "./read-body.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The model call of this request; there on the model routes only. */
    modelCall: CallSession | undefined;
  }
}

/** Everything the model routes work with. */
export interface ModelRouteDependencies extends Pick<
  SessionDependencies,
  "docUrl" | "streams" | "tracer"
> {
  readonly authenticator: KeyAuthenticator;
  readonly upstreams: UpstreamDirectory;
  readonly vendors: VendorDirectory;
  /** The vendor catalogue, for the models that are configured. */
  readonly catalogue: Readonly<Record<string, Pick<VendorDefinition, "models">>>;
  readonly dialer: CallDialer;
  readonly dialFailure: ReadDialFailure;
  readonly limits: Limits;
  /** Replaces limits that the contract fixes, in tests. */
  readonly callLimits?: Partial<CallLimits>;
  readonly clock: Clock;
  /** Who hears what becomes of the call of a request. */
  readonly observe: (request: FastifyRequest) => CallObserver;
}

/** A handle on the model routes of one application. */
export interface ModelRoutes {
  /** Calls that wait for an upstream or stream from it. */
  readonly callsInFlight: number;
  /** Ends every call in flight with its dialect's error: the drain deadline has passed. */
  closeStreams(): void;
}

const surfaces = [chatSurface, responsesSurface, messagesSurface];

/**
 * Mounts the three model calls (gateway seed, Gateway model calls) in a scope of
 * their own: bodies stay bytes, refusals are in the caller's dialect, answers are
 * written past Fastify. A credential is judged before the body is read.
 */
export function registerModelRoutes(
  app: FastifyInstance,
  dependencies: ModelRouteDependencies,
): ModelRoutes {
  const limits = { ...callLimits(dependencies.limits), ...dependencies.callLimits };
  const watch = new CallWatch(precisionOf(limits));
  const session = sessionDependencies(dependencies, limits, watch);
  app.addHook("onClose", async () => watch.close());
  void app.register(async (scope) => {
    scope.decorateRequest("modelCall");
    readBytes(scope, dependencies.limits.maxBodyMib * 1024 * 1024);
    scope.setErrorHandler(answerRefusal);
    for (const surface of surfaces) mount(scope, surface, session, dependencies.observe);
  });
  return {
    get callsInFlight() {
      return watch.size;
    },
    closeStreams: () => watch.drain(),
  };
}

function sessionDependencies(
  dependencies: ModelRouteDependencies,
  limits: CallLimits,
  watch: CallWatch,
): SessionDependencies {
  const { authenticator, upstreams, vendors, clock } = dependencies;
  return {
    admission: {
      authenticator,
      buckets: new RequestBuckets(clock),
      defaultLimit: dependencies.limits,
      clock,
    },
    directories: { upstreams, vendors, servesModel: modelLists(dependencies.catalogue) },
    dialer: dependencies.dialer,
    dialFailure: dependencies.dialFailure,
    limits,
    watch,
    tracer: dependencies.tracer,
    docUrl: dependencies.docUrl,
    streams: dependencies.streams,
  };
}

function modelLists(
  catalogue: ModelRouteDependencies["catalogue"],
): (vendorId: string, model: string) => boolean {
  const lists = new Map(
    Object.entries(catalogue).map(([id, { models }]) => [id, new Set(models ?? [])]),
  );
  return (vendorId, model) => lists.get(vendorId)?.has(model) ?? false;
}

/** How often the limits are looked at: a quarter of the shortest, a second at most. */
function precisionOf(limits: CallLimits): number {
  return Math.max(10, Math.min(1000, ...Object.values(limits).map((limit) => limit / 4)));
}

function readBytes(scope: FastifyInstance, limit: number): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (request, _payload, done) => readBody(request.raw, limit, done));
}

function mount(
  scope: FastifyInstance,
  surface: DialectSurface,
  dependencies: SessionDependencies,
  observe: ModelRouteDependencies["observe"],
): void {
  scope.route({
    method: "POST",
    url: `/v1${surface.path}`,
    onRequest: (request, reply, done) => {
      const observer = observe(request);
      const session = new CallSession(dependencies, surface, observer, request.raw, reply.raw);
      request.modelCall = session;
      goOn(session.admit(), done);
    },
    handler: (request, reply) => {
      reply.hijack();
      const { body } = request;
      request.modelCall?.serve(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
    },
  });
}

/** A hook that returned a promise would cost every warm call a turn of the loop. */
function goOn(admitted: Warm<void>, proceed: (error?: Error) => void): void {
  if (admitted instanceof Promise) {
    admitted.then(
      () => proceed(),
      (error: Error) => proceed(error),
    );
  } else {
    proceed();
  }
}

/** Every error before the answer begins comes here: refusals of ours and Fastify's own. */
function answerRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  request.modelCall?.refuse(translate(error));
}

/** Fastify's own refusals are about the content type. */
function translate(error: unknown): unknown {
  if (error instanceof ApiError || !isClientError(error)) return error;
  return invalidRequest("content-type", "`content-type` must be `application/json`.");
}

function isClientError(error: unknown): boolean {
  return error instanceof Error && "statusCode" in error && error.statusCode === 415;
}
