import type { FastifyInstance } from "fastify";
import { usableModels, type ModelDependencies } from "../../gateway/rpc/model-entries.ts";
import type { Directories } from "../../gateway/routing/owned-targets.ts";
import type { CallRecord } from "../../gateway/call/call-record.ts";
import type { CallObserver } from "../../gateway/call-journey.ts";
import {
  registerModelRoutes,
  type ModelRouteDependencies,
  type ModelRoutes,
} from "../../gateway/route/register-model-routes.ts";
import { TurnCalls } from "../../gateway/turn/turn-calls.ts";
import type { PooledTargets } from "../../gateway/routing/pooled-targets.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Logger } from "../../platform/log.ts";
import { dialFailure } from "../../platform/dial/dial-failure.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import { serverSpanOf } from "../../platform/telemetry/server-spans.ts";
import type { Tracer } from "../../platform/telemetry/tracer.ts";
import type { RequestScope } from "../../transport/request-scope.ts";
import { callDetails } from "./call-details.ts";
import type { TranscodingWiring } from "./wire-transcoding.ts";
import type { CallWiring } from "./wire-calls.ts";
import type { AgentToolsWiring } from "./wire-agent-tools.ts";
import { serverLabels } from "../../agent/tools/outfit/server-labels.ts";
import { checkAddress } from "../../platform/dial/check-address.ts";
import type { AgentWiring } from "./wire-agents.ts";
import type { ItemWiring } from "./wire-items.ts";
import type { TurnWiring } from "./wire-turns.ts";
import type { WalletWiring } from "./wire-wallets.ts";
import type { Foundation } from "../foundation.ts";
import type { PublicAddress } from "../start/public-address.ts";
import type { AccountWiring } from "./wire-accounts.ts";

export interface ModelCallWiringDependencies {
  readonly address: PublicAddress;
  readonly accounts: AccountWiring;
  readonly directories: Directories;
  readonly models: ModelDependencies;
  readonly wallets: WalletWiring;
  readonly transcoding: TranscodingWiring;
  readonly pooledTargets: PooledTargets;
  readonly calls: CallWiring;
  readonly turns: TurnWiring;
  readonly agents: AgentWiring;
  readonly agentTools: AgentToolsWiring;
  readonly items: ItemWiring;
}

/** How long a turn waits for the one before it. */
const threadWaitMs = 30_000;

/** Who hears what becomes of a call that has no request of its own. */
export type ObserveCall = (requestId: string, address: string) => CallObserver;

/** The model calls of one application. */
export interface MountedModelCalls {
  readonly routes: ModelRoutes;
  readonly observe: ObserveCall;
}

/** Mounts the model calls on what the instance has built. */
export function mountModelCalls(
  app: FastifyInstance,
  { configuration, bodies, clock, dialer, load, log, metrics, tracer, requestLimiters }: Foundation,
  {
    address,
    accounts,
    directories,
    models,
    wallets,
    transcoding,
    pooledTargets,
    calls,
    turns,
    agents,
    agentTools,
    items,
  }: ModelCallWiringDependencies,
): MountedModelCalls {
  const tell = callTelemetry(metrics, tracer);
  const routes = registerModelRoutes(app, {
    load,
    authenticator: accounts.authenticator,
    directories,
    usableModels: (key) => usableModels(models, key),
    ledger: wallets.ledger,
    keeper: calls.log,
    dialer,
    dialFailure,
    buckets: requestLimiters.keys,
    limits: configuration.limits,
    bodies,
    clock,
    transcoding: {
      ...transcoding,
      reportFault: (error) => reportFault(error, log),
    },
    routing: wireRouting(accounts, pooledTargets),
    docUrl: address.docUrl,
    streams: metrics.modelCalls.streamsInFlight,
    durableTurns: turns.durable,
    agents: {
      threads: agents.threads,
      engines: configuration.agents,
      endpoints: models.endpoints,
      hasTools: async (receiver) => (await items.givenItems(receiver)).mcpServers.length > 0,
      serverLabels: async (receiver) => serverLabels((await items.givenItems(receiver)).mcpServers),
      checkAddress: (url, param) => checkAddress(dialer, url, param),
      waitMs: threadWaitMs,
    },
    observe: ({ scope, raw }) => new CallReport(scope, raw, tell),
  });
  const { ledger } = wallets;
  const { journey } = routes;
  const observe: ObserveCall = (requestId, address) => ({
    requestId,
    address,
    startedAt: performance.now(),
    // There is no request that spans could hang on.
    ended: (record) => tell(record, {}),
    failed: (error) => log.error({ err: error, request_id: requestId }, "unforeseen error"),
  });
  const caller = new TurnCalls({
    journey,
    books: { ledger, keeper: calls.log, turns: transcoding.turns },
    authenticator: accounts.authenticator,
    buckets: requestLimiters.keys,
    defaultLimit: configuration.limits,
    observe,
  });
  turns.run(caller, { tools: agentTools.tools, history: agents.threads });
  return { routes, observe };
}

/** Sessions keep to one target at all processes that share the installation's secrets. */
function wireRouting(
  { hasher }: AccountWiring,
  targets: PooledTargets,
): ModelRouteDependencies["routing"] {
  return { targets, affinityKey: hasher.keyFor("sessions of aliases"), random: Math.random };
}

/** What cannot be kept because the database is away is no fault: whoever asks for it hears that it was not. */
function reportFault(error: unknown, log: Logger): void {
  if (error instanceof ApiError) log.warn({ err: error.cause }, "an answer could not be kept");
  else log.error({ err: error }, "unforeseen error");
}

/** Tells what became of the call of a raw request. */
type CallTelemetry = (record: CallRecord, rawRequest: object) => void;

/** Puts what becomes of a call into metrics and spans and onto the request's log line. */
class CallReport implements CallObserver {
  readonly requestId: string;
  readonly address: string;
  readonly startedAt: number;
  readonly #scope: RequestScope;
  readonly #rawRequest: object;
  readonly #tell: CallTelemetry;

  constructor(scope: RequestScope, rawRequest: object, tell: CallTelemetry) {
    this.requestId = scope.requestId;
    this.address = scope.address;
    this.startedAt = scope.startedAt;
    this.#scope = scope;
    this.#rawRequest = rawRequest;
    this.#tell = tell;
  }

  ended(record: CallRecord): void {
    this.#tell(record, this.#rawRequest);
    this.#scope.errorCode = record.errorCode;
    this.#scope.details = callDetails(record);
  }

  failed(error: unknown): void {
    this.#scope.log.error({ err: error }, "unforeseen error");
  }
}

function callTelemetry(metrics: Metrics, tracer: Tracer): CallTelemetry {
  const count = callCounter(metrics);
  return (record, rawRequest) => {
    count(record);
    for (const operation of record.operations) {
      metrics.modelOperations.ended(operation);
      if (tracer.enabled) tracer.addOperation(serverSpanOf(rawRequest), operation);
    }
  };
}

/** Calls that were refused before a lane was chosen are in the request metrics only. */
function callCounter({ modelCalls }: Metrics): (record: CallRecord) => void {
  const recorders = {
    pass_through: laneRecorders(modelCalls, "pass_through"),
    transcode: laneRecorders(modelCalls, "transcode"),
  };
  return ({ operation, lane, totalMs, upstreamMs, firstByteMs }) => {
    if (lane === undefined) return;
    const recorder = recorders[lane][operation];
    recorder.ended({ total: totalMs, upstream: upstreamMs, firstByte: firstByteMs });
  };
}

function laneRecorders(modelCalls: Metrics["modelCalls"], lane: "pass_through" | "transcode") {
  return {
    createChatCompletion: modelCalls.recorder({ operation: "createChatCompletion", lane }),
    createResponse: modelCalls.recorder({ operation: "createResponse", lane }),
    compactResponse: modelCalls.recorder({ operation: "compactResponse", lane }),
    createMessage: modelCalls.recorder({ operation: "createMessage", lane }),
    createEmbedding: modelCalls.recorder({ operation: "createEmbedding", lane }),
  };
}
