import fastify, { type FastifyInstance } from "fastify";
import type { Configuration } from "../../platform/configuration/configuration.ts";
import type { ProcessLoggers } from "../../platform/log.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { Tracer } from "../../platform/telemetry/tracer.ts";
import { mountConnect } from "../../transport/connect.ts";
import { registerCors, type CorsRules } from "../../transport/cors.ts";
import {
  createHttpListener,
  type HttpListener,
  type HttpListenerDependencies,
} from "../../transport/front/create-http-front.ts";
import type { RpcPipeline } from "../../transport/interceptors/rpc-pipeline.ts";
import type { MountedService } from "../../transport/mounted-service.ts";
import { registerHealthRoutes } from "../../transport/health/health-routes.ts";
import type { ReadinessCheck } from "../../transport/health/readiness.ts";
import { registerRequestTelemetry } from "../../transport/health/request-telemetry.ts";
import { registerHttpRequestScope } from "../../transport/open-request-scope.ts";
import { createRestErrorRenderer } from "../../transport/rest/error-body.ts";
import { installErrorHandling } from "../../transport/rest/error.ts";
import type { PathErrorFormat } from "../../transport/rest/path-error-format.ts";
import { buildFastifyServerOptions } from "../../transport/server-options.ts";
import { mountRest } from "../../transport/rest/mount.ts";
import { maxModelCallBodyBytes } from "./large-body-bytes.ts";
import { readListenAddress } from "../start/listen-address.ts";
import type { ServicePublicUrl } from "../start/public-address.ts";
import type { HttpServiceName } from "../service-name.ts";

export interface HttpServiceDependencies extends ProcessLoggers {
  readonly name: HttpServiceName;
  readonly configuration: Configuration;
  readonly address: ServicePublicUrl;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  readonly services: readonly MountedService[];
  readonly pipeline: RpcPipeline;
  /** Forms of refusals at paths that do not take the flat one. */
  readonly errorFormats?: readonly PathErrorFormat[];
  /** Absent: upgrades are ignored. */
  readonly acceptsUpgrade?: HttpListenerDependencies["acceptsUpgrade"];
  /** Absent: no page of another origin may call. */
  readonly cors?: CorsRules;
  /** Hand-written routes, registered after those of the contract. */
  readonly register: (app: FastifyInstance, front: HttpListener) => void;
}

/** One of the two services on its port. */
export interface HttpService {
  readonly name: HttpServiceName;
  /** Address that it listens on, for the ready line. */
  readonly listeningUrl: string;
  readonly listening: { readonly host: string; readonly port: number };
  /** Answers 503 on `/readyz` from now on; nothing else changes. */
  announceDrain(): void;
  /** Takes no new connection; answers in flight go on for that long. */
  drain(deadlineMs: number): Promise<void>;
}

/**
 * Builds a service and listens: scope, telemetry and error handling first, then
 * the operational routes, the contract over REST, Connect, gRPC and gRPC-web,
 * and last what is written by hand. Rejects with a `ListenError`.
 */
export async function startHttpService(
  dependencies: HttpServiceDependencies,
): Promise<HttpService> {
  const { name, configuration, address, metrics } = dependencies;
  const { host, port, variables } = readListenAddress(name, configuration);
  const { acceptsUpgrade: takesUpgrade } = dependencies;
  const front = createHttpListener({
    errorBody: createRestErrorRenderer(address.docUrl),
    variables,
    acceptsUpgrade: takesUpgrade,
    trustedProxies: configuration.trustedProxies,
  });
  let isDraining = false;
  const app = createApp(dependencies, front);
  registerHealthRoutes(app, {
    checks: { ...dependencies.checks, accepting: () => !isDraining },
    metrics,
  });
  mountContract(app, dependencies, front);
  dependencies.register(app, front);
  await app.ready();
  const listening = await front.listen(host, port);
  const listeningUrl = urlOf(listening.host, listening.port);
  address.listening(listeningUrl);
  metrics.observeConnections(name, () => front.connectionCount);
  return {
    name,
    listeningUrl,
    listening,
    announceDrain: () => void (isDraining = true),
    drain: (deadlineMs) => front.drain(deadlineMs),
  };
}

function createApp(
  {
    name,
    configuration,
    log,
    accessLog,
    metrics,
    tracer,
    address,
    errorFormats: errorForms = [],
    cors: crossOrigin,
  }: HttpServiceDependencies,
  front: HttpListener,
): FastifyInstance {
  const errorBody = createRestErrorRenderer(address.docUrl);
  const forms = { errorBody, atPaths: errorForms };
  const logs = { log, accessLog };
  const app = fastify({
    ...front.fastifyOptions,
    ...buildFastifyServerOptions(configuration.trustedProxies, forms, logs),
  });
  front.watchAnswers(app);
  registerHttpRequestScope(app, logs);
  registerRequestTelemetry(app, { service: name, metrics, tracer });
  if (crossOrigin !== undefined) registerCors(app, crossOrigin);
  installErrorHandling(app, forms);
  return app;
}

function mountContract(
  app: FastifyInstance,
  { services, pipeline, configuration }: HttpServiceDependencies,
  front: HttpListener,
): void {
  const limits = { pipeline, largeBodyBytes: maxModelCallBodyBytes(configuration) };
  mountRest(app, services, limits);
  mountConnect(app, services, { ...limits, shutdownSignal: front.deadline });
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
