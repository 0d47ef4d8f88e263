import type { FastifyInstance } from "fastify";
import type { CallRecord } from "../../gateway/call/call-record.ts";
import type { CallObserver, JourneyDependencies } from "../../gateway/call-journey.ts";
import { registerSocketRoute } from "../../gateway/websocket/register-socket-route.ts";
import type { ResponseSockets } from "../../gateway/websocket/response-sockets.ts";
import { socketPath } from "../../gateway/websocket/upgrade-request.ts";
import { databaseUnavailable } from "../../platform/database/database-unavailable.ts";
import { HeldBodies } from "../../platform/held-bodies.ts";
import { endUpgraded, upgradeHead } from "../../transport/front/upgrades.ts";
import { writeAccessLine } from "../../transport/interceptors/access-log.ts";
import { callDetails } from "../wiring/call-details.ts";
import type { Foundation } from "../foundation.ts";
import type { ModelCallWiringDependencies, ObserveCall } from "../wiring/wire-model-calls.ts";

/** What the open connections of a key are counted by. */
const procedure = "responses.websocket";

/** Connections that a key may have open at a time, at all processes. */
const mostConnections = 100;

/** What connections remember of their last answers may be a quarter of the bodies that are held. */
const roomPart = 4;

/** Mounts the WebSocket mode of the responses dialect on what the instance has built. */
export function mountSockets(
  app: FastifyInstance,
  { configuration, load, accessLog }: Foundation,
  { accounts }: ModelCallWiringDependencies,
  journey: JourneyDependencies,
  observe: ObserveCall,
): ResponseSockets {
  return registerSocketRoute(app, {
    load,
    authenticator: accounts.authenticator,
    journey,
    observe: (requestId, address) =>
      withLine(observe(requestId, address), (record) => {
        const { errorCode, status, totalMs: durationMs } = record;
        const line = { requestId, method: "GET", route: socketPath, address, errorCode };
        const details = callDetails(record);
        const scope = { ...line, procedure: "response.create", principal: undefined, details };
        writeAccessLine(accessLog, scope, { status, durationMs });
      }),
    addressOf: ({ scope }) => scope.address,
    noteKey: ({ scope }, principal) => void (scope.principal = principal),
    origins: configuration.corsOrigins,
    count: (principal) => accounts.openStreams.open(principal, procedure, mostConnections),
    upgradeHead,
    endUpgraded,
    translateError: databaseUnavailable,
    room: new HeldBodies(configuration.limits.heldBodiesMib / roomPart),
  });
}

/** Each call has a line of its own in the log, as one by POST has. */
function withLine(observer: CallObserver, write: (record: CallRecord) => void): CallObserver {
  return {
    ...observer,
    ended: (record) => {
      observer.ended(record);
      write(record);
    },
  };
}
