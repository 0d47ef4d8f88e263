import type { FastifyInstance } from "fastify";
import { registerInputTokensRoute } from "../../gateway/route/register-input-tokens-route.ts";
import { registerResponseRoutes } from "../../gateway/route/register-response-routes.ts";
import type { ResponseScopeDependencies } from "../../gateway/route/response-scope.ts";
import { databaseUnavailable } from "../../platform/database/database-unavailable.ts";
import { dialFailure } from "../../platform/dial/dial-failure.ts";
import type { Foundation } from "../foundation.ts";
import { largeBodyBytes } from "./large-body-bytes.ts";
import type { ModelCallWiringDependencies } from "../wiring/wire-model-calls.ts";

/** Mounts what can be asked of responses beside making them. */
export function mountResponses(
  app: FastifyInstance,
  { configuration, bodies, dialer, load }: Foundation,
  {
    address,
    accounts,
    directories,
    models,
    transcoding,
    calls,
    turns: durableTurns,
    agents,
  }: ModelCallWiringDependencies,
): void {
  const { turns, summaries } = transcoding;
  const { idleMs, firstByteMs } = configuration.limits;
  const asking = { dialer, dialFailure, idleMs };
  const common: ResponseScopeDependencies = {
    load,
    authenticator: accounts.authenticator,
    docUrl: address.docUrl,
    requestIdOf: ({ scope }) => scope.requestId,
    addressOf: ({ scope }) => scope.address,
    noteError: ({ scope }, code) => void (scope.errorCode = code),
    translateError: databaseUnavailable,
  };
  const { vendors } = directories;
  const { endpoints } = models;
  registerResponseRoutes(app, {
    ...common,
    here: { turns, durable: durableTurns.durable },
    keeping: { ...asking, vendors, endpoints, calls: calls.log },
  });
  registerInputTokensRoute(app, {
    ...common,
    counting: { ...asking, directories, turns, summaries, threads: agents.threads, firstByteMs },
    bodies,
    maxBodyBytes: largeBodyBytes(configuration),
  });
}
