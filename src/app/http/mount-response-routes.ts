import type { FastifyInstance } from "fastify";
import { registerInputTokensRoute } from "../../gateway/http/register-input-tokens-route.ts";
import { registerStoredResponseRoutes } from "../../gateway/http/register-response-routes.ts";
import type { ResponsesRouteScopeDependencies } from "../../gateway/http/response-scope.ts";
import { toDatabaseUnavailableError } from "../../platform/database/database-unavailable.ts";
import { classifyDialFailure } from "../../platform/dial/dial-failure.ts";
import type { SharedResources } from "../foundation.ts";
import { maxModelCallBodyBytes } from "./large-body-bytes.ts";
import type { ModelCallRoutesDependencies } from "../wiring/wire-model-calls.ts";

/** Mounts what can be asked of responses beside making them. */
export function mountResponseManagementRoutes(
  app: FastifyInstance,
  { configuration, bodyMemory: bodies, dialer, load }: SharedResources,
  {
    address,
    accounts,
    directories,
    models,
    transcoding,
    calls,
    turns: durableTurns,
    agents,
  }: ModelCallRoutesDependencies,
): void {
  const { storedResponses, summaries } = transcoding;
  const { idleMs, firstByteMs } = configuration.limits;
  const asking = { dialer, classifyDialFailure, idleMs };
  const common: ResponsesRouteScopeDependencies = {
    load,
    authenticator: accounts.authenticator,
    docUrl: address.docUrl,
    requestIdOf: ({ scope }) => scope.requestId,
    addressOf: ({ scope }) => scope.address,
    recordError: ({ scope }, code) => void (scope.errorCode = code),
    translateError: toDatabaseUnavailableError,
  };
  const { vendors } = directories;
  const { endpoints } = models;
  registerStoredResponseRoutes(app, {
    ...common,
    here: { storedResponses, durable: durableTurns.durable },
    keeping: { ...asking, vendors, endpoints, calls: calls.log },
    bodies,
  });
  registerInputTokensRoute(app, {
    ...common,
    counting: {
      ...asking,
      directories,
      storedResponses,
      summaries,
      threads: agents.threads,
      firstByteMs,
    },
    bodies,
    maxBodyBytes: maxModelCallBodyBytes(configuration),
  });
}
