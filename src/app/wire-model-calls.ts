import type { FastifyInstance } from "fastify";
import type { CallRecord } from "../gateway/call-record.ts";
import type { CallObserver } from "../gateway/route/call-session.ts";
import { registerModelRoutes, type ModelRoutes } from "../gateway/route/register-model-routes.ts";
import { dialFailure } from "../platform/dial/dial-failure.ts";
import type { Metrics } from "../platform/telemetry/metrics.ts";
import type { RequestScope } from "../transport/request-scope.ts";
import { callDetails } from "./call-details.ts";
import type { Foundation } from "./foundation.ts";
import type { PublicAddress } from "./public-address.ts";
import type { AccountWiring } from "./wire-accounts.ts";
import type { EndpointWiring } from "./wire-endpoints.ts";

export interface ModelCallParts {
  readonly address: PublicAddress;
  readonly accounts: AccountWiring;
  readonly endpoints: EndpointWiring;
}

/** Mounts the three model calls on what the instance has built. */
export function mountModelCalls(
  app: FastifyInstance,
  { configuration, clock, dialer, metrics, tracer }: Foundation,
  { address, accounts, endpoints }: ModelCallParts,
): ModelRoutes {
  const count = callCounter(metrics);
  return registerModelRoutes(app, {
    authenticator: accounts.authenticator,
    upstreams: endpoints.upstreams,
    vendors: endpoints.vendors,
    catalogue: configuration.vendors,
    dialer,
    dialFailure,
    limits: configuration.limits,
    clock,
    tracer,
    docUrl: address.docUrl,
    streams: metrics.modelCalls.streamsInFlight,
    observe: ({ scope }) => new CallReport(scope, count),
  });
}

/** Puts what becomes of a call into the metrics and onto the request's log line. */
class CallReport implements CallObserver {
  readonly requestId: string;
  readonly #scope: RequestScope;
  readonly #count: (record: CallRecord) => void;

  constructor(scope: RequestScope, count: (record: CallRecord) => void) {
    this.requestId = scope.requestId;
    this.#scope = scope;
    this.#count = count;
  }

  ended(record: CallRecord): void {
    this.#count(record);
    this.#scope.errorCode = record.errorCode;
    this.#scope.details = callDetails(record);
  }

  failed(error: unknown): void {
    this.#scope.log.error({ err: error }, "unforeseen error");
  }
}

/** Calls that were refused before a lane was chosen are in the request metrics only. */
function callCounter({ modelCalls }: Metrics): (record: CallRecord) => void {
  const recorders = {
    createChatCompletion: modelCalls.recorder({
      operation: "createChatCompletion",
      lane: "pass_through",
    }),
    createResponse: modelCalls.recorder({ operation: "createResponse", lane: "pass_through" }),
    createMessage: modelCalls.recorder({ operation: "createMessage", lane: "pass_through" }),
  };
  return ({ operation, lane, totalMs, upstreamMs, firstByteMs }) => {
    if (lane === undefined) return;
    recorders[operation].ended({ total: totalMs, upstream: upstreamMs, firstByte: firstByteMs });
  };
}
