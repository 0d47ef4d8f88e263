import type { FastifyInstance } from "fastify";
import { listUsableModelIds, type ModelListDependencies } from "../../gateway/rpc/model-entries.ts";
import { BusyThreadCallerQueues } from "../../gateway/agent/thread-lines.ts";
import type { ModelResolutionLookups } from "../../gateway/routing/account-targets.ts";
import type { CallTelemetryRecord } from "../../gateway/call/call-telemetry.ts";
import type { CallEndObserver } from "../../gateway/model-call-pipeline.ts";
import {
  registerModelCallRoutes,
  type ModelRouteDependencies,
  type ModelRoutesHandle,
} from "../../gateway/http/register-model-routes.ts";
import { TurnModelCallRunner } from "../../gateway/turn/turn-call-runner.ts";
import type { TargetHealthMap } from "../../gateway/routing/pooled-targets.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Logger } from "../../platform/log.ts";
import { classifyDialFailure } from "../../platform/dial/dial-failure.ts";
import { KeyedConcurrencyLimiter, maxWaitingWorkPerAccount } from "../../platform/keyed-limiter.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import { getServerSpan } from "../../platform/telemetry/server-spans.ts";
import type { Tracer } from "../../platform/telemetry/tracer.ts";
import type { HttpRequestScope } from "../../transport/request-scope.ts";
import { serializeCallAccessLogFields } from "./call-log-fields.ts";
import type { TranscodingModule } from "./wire-transcoding.ts";
import type { CallLogModule } from "./wire-calls.ts";
import type { AgentToolsModule } from "./wire-agent-tools.ts";
import { assignMcpServerLabels } from "../../agent/tools/toolset/server-labels.ts";
import { rejectUndialableRequestUrl } from "../../platform/dial/check-address.ts";
import type { AgentThreadModule } from "./wire-agents.ts";
import type { AgentExtensionsModule } from "./wire-items.ts";
import type { TurnModule } from "./wire-turns.ts";
import type { WalletModule } from "./wire-wallets.ts";
import type { SharedResources } from "../foundation.ts";
import type { ServicePublicUrl } from "../start/public-address.ts";
import type { AccountModule } from "./wire-accounts.ts";

export interface ModelCallRoutesDependencies {
  readonly address: ServicePublicUrl;
  readonly accounts: AccountModule;
  readonly directories: ModelResolutionLookups;
  readonly models: ModelListDependencies;
  readonly wallets: WalletModule;
  readonly transcoding: TranscodingModule;
  readonly pooledTargets: TargetHealthMap;
  readonly calls: CallLogModule;
  readonly turns: TurnModule;
  readonly agents: AgentThreadModule;
  readonly agentTools: AgentToolsModule;
  readonly items: AgentExtensionsModule;
}

/** How long a turn waits for the one before it. */
const threadWaitMs = 30_000;

/** Calls of one account whose turns are planned and stored at a time. */
const maxAgentStarts = 8;

/** Who hears what becomes of a call that has no request of its own. */
export type CallEndObserverFactory = (requestId: string, address: string) => CallEndObserver;

/** The model calls of one application. */
export interface MountedModelCallRoutes {
  readonly routes: ModelRoutesHandle;
  readonly observe: CallEndObserverFactory;
}

/** Mounts the model calls on what the instance has built. */
export function mountModelCallRoutes(
  app: FastifyInstance,
  {
    configuration,
    bodyMemory: bodies,
    clock,
    dialer,
    load,
    log,
    metrics,
    tracer,
    requestLimiters,
  }: SharedResources,
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
  }: ModelCallRoutesDependencies,
): MountedModelCallRoutes {
  const tell = callTelemetry(metrics, tracer);
  const routes = registerModelCallRoutes(app, {
    load,
    authenticator: accounts.authenticator,
    directories,
    usableModels: (key) => listUsableModelIds(models, key),
    ledger: wallets.ledger,
    recorder: calls.log,
    dialer,
    classifyDialFailure,
    buckets: requestLimiters.keys,
    limits: configuration.limits,
    bodies,
    clock,
    transcoding: {
      ...transcoding,
      reportInternalError: (error) => reportInternalError(error, log),
    },
    routing: wireRouting(accounts, pooledTargets),
    docUrl: address.docUrl,
    streams: metrics.modelCalls.streamsInFlight,
    durableTurns: turns.durable,
    agents: {
      threads: agents.threads,
      engines: configuration.agents,
      endpoints: models.endpoints,
      hasTools: (receiver) => items.agentItems.hasMcpServers(receiver),
      serverLabels: async (receiver) =>
        assignMcpServerLabels(await items.agentItems.listMcpServerNames(receiver)),
      checkAddress: (url, param) => rejectUndialableRequestUrl(dialer, url, param),
      starts: new KeyedConcurrencyLimiter(maxAgentStarts, maxWaitingWorkPerAccount),
      lines: new BusyThreadCallerQueues(),
      waitMs: threadWaitMs,
    },
    observe: ({ scope, raw }) => new CallReporter(scope, raw, tell),
  });
  const { ledger } = wallets;
  const { pipeline: journey } = routes;
  const observe: CallEndObserverFactory = (requestId, address) => ({
    requestId,
    address,
    startedAt: performance.now(),
    // There is no request that spans could hang on.
    ended: (record) => tell(record, {}),
    failed: (error) => log.error({ err: error, request_id: requestId }, "unforeseen error"),
  });
  const caller = new TurnModelCallRunner({
    pipeline: journey,
    billing: { ledger, recorder: calls.log, storedResponses: transcoding.storedResponses },
    authenticator: accounts.authenticator,
    buckets: requestLimiters.keys,
    defaultLimit: configuration.limits,
    observe,
  });
  const { threads: history, approvals } = agents;
  turns.run(caller, { tools: agentTools.tools, history, approvals });
  return { routes, observe };
}

/** Sessions keep to one target at all processes that share the installation's secrets. */
function wireRouting(
  { hasher }: AccountModule,
  targets: TargetHealthMap,
): ModelRouteDependencies["routing"] {
  return { targets, affinityKey: hasher.keyFor("sessions of aliases"), random: Math.random };
}

/** What cannot be kept because the database is away is no fault: whoever asks for it hears that it was not. */
function reportInternalError(error: unknown, log: Logger): void {
  if (error instanceof ApiError) log.warn({ err: error.cause }, "an answer could not be kept");
  else log.error({ err: error }, "unforeseen error");
}

/** Tells what became of the call of a raw request. */
type CallTelemetry = (record: CallTelemetryRecord, rawRequest: object) => void;

/** Puts what becomes of a call into metrics and spans and onto the request's log line. */
class CallReporter implements CallEndObserver {
  readonly requestId: string;
  readonly address: string;
  readonly startedAt: number;
  readonly #scope: HttpRequestScope;
  readonly #rawRequest: object;
  readonly #report: CallTelemetry;

  constructor(scope: HttpRequestScope, rawRequest: object, tell: CallTelemetry) {
    this.requestId = scope.requestId;
    this.address = scope.address;
    this.startedAt = scope.startedAt;
    this.#scope = scope;
    this.#rawRequest = rawRequest;
    this.#report = tell;
  }

  ended(record: CallTelemetryRecord): void {
    this.#report(record, this.#rawRequest);
    this.#scope.errorCode = record.errorCode;
    this.#scope.details = serializeCallAccessLogFields(record);
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
      if (tracer.enabled) tracer.addOperation(getServerSpan(rawRequest), operation);
    }
  };
}

/** Calls that were refused before a lane was chosen are in the request metrics only. */
function callCounter({ modelCalls }: Metrics): (record: CallTelemetryRecord) => void {
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
