import type { FastifyInstance } from "fastify";
import type { CallTelemetryRecord } from "../../gateway/call/call-telemetry.ts";
import type {
  CallEndObserver,
  ModelCallPipelineDependencies,
} from "../../gateway/model-call-pipeline.ts";
import { registerResponsesWebSocketRoute } from "../../gateway/websocket/register-websocket-route.ts";
import type { ResponsesWebSocketConnections } from "../../gateway/websocket/responses-connections.ts";
import { responsesWebSocketPath } from "../../gateway/websocket/upgrade-request.ts";
import { toDatabaseUnavailableError } from "../../platform/database/database-unavailable.ts";
import { RequestBodyMemoryBudget } from "../../platform/body-memory-budget.ts";
import {
  completeUpgradeWithSwitchingProtocols,
  findHttpUpgradeHeadBytes,
} from "../../transport/front/upgrades.ts";
import { writeAccessLogLine } from "../../transport/interceptors/access-log.ts";
import { serializeCallAccessLogFields } from "../wiring/call-log-fields.ts";
import type { SharedResources } from "../foundation.ts";
import type {
  ModelCallRoutesDependencies,
  CallEndObserverFactory,
} from "../wiring/wire-model-calls.ts";

/** What the open connections of a key are counted by. */
const procedure = "responses.websocket";

/** Connections that a key may have open at a time, at all processes. */
const maxConnections = 100;

/** What connections remember of their last answers may be a quarter of the bodies that are held. */
const memoryShare = 4;

/** Mounts the WebSocket mode of the responses dialect on what the instance has built. */
export function mountResponsesWebSocket(
  app: FastifyInstance,
  { configuration, load, accessLog }: SharedResources,
  { accounts }: ModelCallRoutesDependencies,
  journey: ModelCallPipelineDependencies,
  observe: CallEndObserverFactory,
): ResponsesWebSocketConnections {
  return registerResponsesWebSocketRoute(app, {
    load,
    authenticator: accounts.authenticator,
    pipeline: journey,
    observe: (requestId, address) =>
      withLine(observe(requestId, address), (record) => {
        const { errorCode, status, totalMs: durationMs } = record;
        const line = {
          requestId,
          method: "GET",
          route: responsesWebSocketPath,
          address,
          errorCode,
        };
        const details = serializeCallAccessLogFields(record);
        const scope = { ...line, procedure: "response.create", principal: undefined, details };
        writeAccessLogLine(accessLog, scope, { status, durationMs });
      }),
    addressOf: ({ scope }) => scope.address,
    recordKey: ({ scope }, principal) => void (scope.principal = principal),
    origins: configuration.corsOrigins,
    count: (principal) => accounts.openStreams.open(principal, procedure, maxConnections),
    watch: (principal, changed) => accounts.credentials.watch(principal, changed),
    upgradeHead: findHttpUpgradeHeadBytes,
    endUpgraded: completeUpgradeWithSwitchingProtocols,
    translateError: toDatabaseUnavailableError,
    memoryBudget: new RequestBodyMemoryBudget(configuration.limits.heldBodiesMib / memoryShare),
  });
}

/** Each call has a line of its own in the log, as one by POST has. */
function withLine(
  observer: CallEndObserver,
  write: (record: CallTelemetryRecord) => void,
): CallEndObserver {
  return {
    ...observer,
    ended: (record) => {
      observer.ended(record);
      write(record);
    },
  };
}
