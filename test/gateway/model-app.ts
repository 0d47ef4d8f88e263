import { parseAgentsConfiguration } from "../../src/platform/configuration/agents.ts";
import type { AgentTurnPlanningDependencies } from "../../src/gateway/agent/agent-dependencies.ts";
import { BusyThreadCallerQueues } from "../../src/gateway/agent/thread-lines.ts";
import { fastify, type FastifyInstance } from "fastify";
import { onTestFinished } from "vitest";
import { Agent } from "undici";
import type { AddressInfo } from "node:net";
import { systemClock, type Clock } from "../../src/platform/clock.ts";
import { readCredential, type CallerCredentialHeaders } from "../../src/platform/credentials.ts";
import {
  isWellFormedCredentialToken,
  generateCredentialToken,
} from "../../src/platform/crypto/token.ts";
import { Secret } from "../../src/platform/crypto/secret.ts";
import { classifyDialFailure } from "../../src/platform/dial/dial-failure.ts";
import type {
  ConfiguredRequestLimits,
  VendorCatalogEntry,
} from "../../src/platform/configuration/configuration.ts";
import { ApiError } from "../../src/platform/errors.ts";
import {
  RequestBodyMemoryBudget,
  type MinimumRequestBodyRate,
} from "../../src/platform/body-memory-budget.ts";
import { newResourceId } from "../../src/platform/ids.ts";
import { createReasoningEnvelopeSealer } from "../../src/dialect/signed-envelope.ts";
import { ReasoningCache } from "../../src/gateway/transcode/reasoning-cache.ts";
import type { StoredResponses } from "../../src/gateway/stored-responses/stored-responses.ts";
import { SummarySealer } from "../../src/gateway/stored-responses/summary-seal.ts";
import { RateLimitBuckets } from "../../src/platform/rate-limit/request-buckets.ts";
import type { DurableTurnService } from "../../src/domain/durable-turn.ts";
import type { CallLogEntry, ByoCallUsage } from "../../src/domain/call-log-entry.ts";
import type { CallTelemetryRecord } from "../../src/gateway/call/call-telemetry.ts";
import type { CallEndObserver } from "../../src/gateway/model-call-pipeline.ts";
import { KeyedConcurrencyLimiter } from "../../src/platform/keyed-limiter.ts";
import type { CallTimeouts } from "../../src/gateway/call/call-timeouts.ts";
import {
  createSingleTargetAliasRouting,
  type AliasRouting,
  type AliasTarget,
} from "../../src/domain/alias-target.ts";
import type { CallableCustomEndpoint } from "../../src/domain/callable-endpoint.ts";
import type { CallableVendor } from "../../src/domain/callable-vendor.ts";
import type { CallerKey } from "../../src/domain/caller-key.ts";
import {
  registerModelCallRoutes,
  type ModelRoutesHandle,
} from "../../src/gateway/http/register-model-routes.ts";
import { TargetHealthMap } from "../../src/gateway/routing/pooled-targets.ts";
import { neverShedding } from "../support/unloaded-gate.ts";

const envelopeKey = Buffer.alloc(32, 7);

const accountId = "user_00000000000000000000000000";

export interface ModelAppOptions {
  readonly limits?: Partial<ConfiguredRequestLimits>;
  readonly callLimits?: Partial<CallTimeouts>;
  readonly key?: Partial<CallerKey>;
  readonly catalogue?: Record<string, VendorCatalogEntry>;
  /** Directories, keys and buckets answer with promises, as they do when cold or elsewhere. */
  readonly cold?: boolean;
  /** What `@token`s stand for. */
  readonly aliases?: Readonly<Record<string, AliasTarget | AliasRouting>>;
  /** From 0 up to 1; the machine's own by default. */
  readonly random?: () => number;
  /** The machine's own by default. */
  readonly clock?: Clock;
  /** No engines and no threads by default. */
  readonly agents?: Partial<AgentTurnPlanningDependencies>;
  readonly durableTurns?: Partial<DurableTurnService>;
  /** Kept responses; none by default. */
  readonly turns?: StoredResponses;
  /** How slowly a request body may arrive; that of the contract by default. */
  readonly pace?: MinimumRequestBodyRate;
}

/** Nothing runs in the background. */
const noDurableTurns: DurableTurnService = {
  isEnabled: false,
  answered: () => Promise.resolve(new Map()),
  start: () => Promise.reject(new Error("nothing runs in the background")),
  find: () => Promise.resolve(undefined),
  findState: () => Promise.resolve(undefined),
  findResponse: () => Promise.resolve(undefined),
  findInput: () => Promise.resolve(undefined),
  waitUntilEnded: () => Promise.resolve(),
  cancel: () => Promise.resolve(undefined),
  delete: () => Promise.resolve(false),
  async *follow() {},
  async *replay() {},
  reserveFollower: () => () => undefined,
};

/** No engine is configured, and no thread is there. */
const noAgents: AgentTurnPlanningDependencies = {
  threads: {
    find: () => Promise.resolve(undefined),
    findByTurn: () => Promise.resolve(undefined),
    conversation: () => Promise.reject(new Error("there is no thread")),
    conversationOf: (items) => ({
      items,
      lastTurn: undefined,
      lastEngine: undefined,
      openToolCalls: new Set(),
      openApprovals: new Set(),
      itemsBefore: () => items,
    }),
    resentConversation: (_account, items) => noAgents.threads.conversationOf(items),
    prepareThread: () => ({
      id: "thread_1",
      session: "thread_1",
      isNew: true,
      history: undefined,
      lastTurn: undefined,
    }),
  },
  engines: parseAgentsConfiguration({}),
  endpoints: () => [],
  hasTools: () => Promise.resolve(false),
  serverLabels: async () => [],
  checkAddress: async () => undefined,
  starts: new KeyedConcurrencyLimiter(2),
  lines: new BusyThreadCallerQueues(),
  waitMs: 1000,
};

const noTurns: StoredResponses = {
  isEnabled: false,
  conversation: () => Promise.resolve(undefined),
  items: () => Promise.resolve(new Map()),
  store: () => Promise.resolve(),
  has: () => Promise.resolve(false),
  find: () => Promise.resolve(undefined),
  delete: () => Promise.resolve(false),
};

/** A call that was kept, with what it used. */
export type RecordedCall = CallLogEntry & ByoCallUsage;

/** A listening application with the model routes over directories in memory. */
export interface ModelApp {
  readonly app: FastifyInstance;
  readonly origin: string;
  readonly port: number;
  /** Secret of the one live key. */
  readonly token: string;
  readonly routes: ModelRoutesHandle;
  readonly records: CallTelemetryRecord[];
  readonly faults: unknown[];
  /** Calls that were kept and used something that costs nothing. */
  readonly notes: RecordedCall[];
  /** All calls that were kept. */
  readonly kept: CallLogEntry[];
  /** Request bodies that are held. */
  readonly bodies: RequestBodyMemoryBudget;
  /** How many streams are on their way. */
  readonly streams: { value: number };
  /** Hears of a call as `records` and `faults` do. */
  readonly observe: (requestId: string, address: string) => CallEndObserver;
  /** Resolves to the record of the nth call that ended, from 0. */
  record(index: number): Promise<CallTelemetryRecord>;
  addEndpoint(
    endpoint: Partial<CallableCustomEndpoint> & Pick<CallableCustomEndpoint, "baseUrl">,
  ): void;
  addVendor(vendor: Partial<CallableVendor> & Pick<CallableVendor, "id" | "baseUrl">): void;
  setKey(key: Partial<CallerKey>): void;
  /** Makes the live key one of that account. */
  setAccount(accountId: string): void;
  /** Of the live key. */
  readonly principal: CallerKey["principal"];
  readonly dispatcher: Agent;
}

const limits: ConfiguredRequestLimits = {
  requestsPerMinute: 60_000,
  burst: 10_000,
  concurrentRequests: 1024,
  processRequests: 10_000,
  toolsRequestsPerMinute: 600,
  toolsBurst: 200,
  maxBodyMib: 32,
  heldBodiesMib: 512,
  connectMs: 1000,
  firstByteMs: 5000,
  idleMs: 5000,
  shedLoopDelayMs: 500,
};

/** Starts the application; it closes with the test. */
export async function startModelApp(options: ModelAppOptions = {}): Promise<ModelApp> {
  const token = generateCredentialToken("cwk");
  const state = { key: makeKey(options.key) };
  const endpoints = new Map<string, CallableCustomEndpoint>();
  const vendors: CallableVendor[] = [];
  const records: CallTelemetryRecord[] = [];
  const waiting: (() => void)[] = [];
  const faults: unknown[] = [];
  const notes: RecordedCall[] = [];
  const kept: CallLogEntry[] = [];
  const keep = (call: CallLogEntry): void => {
    kept.push(call);
    if (call.use !== undefined) notes.push({ ...call, ...call.use });
  };
  const streams = { value: 0 };
  const bodies = new RequestBodyMemoryBudget(
    options.limits?.heldBodiesMib ?? limits.heldBodiesMib,
    options.pace === undefined ? {} : { pace: options.pace },
  );
  const catalogue = options.catalogue ?? {};
  const warm = <Value>(value: Value): Value | Promise<Value> =>
    options.cold === true ? Promise.resolve(value) : value;
  const dispatcher = new Agent({
    pipelining: 1,
    connect: { timeout: options.limits?.connectMs ?? limits.connectMs },
  });
  const { clock = systemClock } = options;
  const buckets = new RateLimitBuckets(clock);
  const observe = (requestId: string, address: string): CallEndObserver => ({
    requestId,
    address,
    startedAt: performance.now(),
    ended: (record) => {
      records.push(record);
      for (const wake of waiting.splice(0)) wake();
    },
    failed: (error) => void faults.push(error),
  });
  const app = fastify({ genReqId: ({ headers }) => requestId(headers["x-request-id"]) });
  const routes = registerModelCallRoutes(app, {
    load: neverShedding,
    authenticator: {
      authenticateModelCall: (headers) => warm(authenticate(headers, token, state.key)),
    },
    directories: {
      upstreams: { find: (account, slug) => warm(endpoints.get(`${account}/${slug}`)) },
      vendors: {
        has: (id) => Object.hasOwn(catalogue, id),
        configuredModels: (id) => catalogue[id]?.models ?? [],
        find: (_account, id) => warm(vendors.find((vendor) => vendor.id === id)),
        linked: () => warm(vendors),
      },
      aliases: {
        find: (_account, token) => {
          const named = options.aliases?.[token];
          return warm(
            named && ("targets" in named ? named : createSingleTargetAliasRouting(named)),
          );
        },
      },
      catalog: { findById: () => undefined, byVendor: () => undefined },
      modelIds: ({ id }) => warm(catalogue[id]?.models ?? []),
    },
    usableModels: () => Promise.resolve([]),
    ledger: {
      reserve: () => Promise.reject(new Error("nothing is sold")),
    },
    recorder: { record: keep },
    durableTurns: { ...noDurableTurns, ...options.durableTurns },
    agents: { ...noAgents, ...options.agents },
    dialer: { dispatcher: () => dispatcher },
    classifyDialFailure,
    limits: { ...limits, ...options.limits },
    ...(options.callLimits !== undefined && { callLimits: options.callLimits }),
    buckets: {
      take: (id, limit) => warm(buckets.take(id, limit)),
      peek: (id, limit) => buckets.peek(id, limit),
    },
    clock,
    transcoding: {
      envelopeOf: (upstream, model) =>
        createReasoningEnvelopeSealer({ key: envelopeKey, upstream, model }),
      storedResponses: options.turns ?? noTurns,
      summaries: new SummarySealer(envelopeKey),
      reasoningCache: new ReasoningCache(clock),
      reportInternalError: (error) => void faults.push(error),
    },
    routing: {
      targets: new TargetHealthMap({ clock }),
      affinityKey: envelopeKey,
      random: options.random ?? Math.random,
    },
    docUrl: (code) => `http://docs.test/docs/errors${code === undefined ? "" : `#${code}`}`,
    streams,
    bodies,
    observe: (request) => observe(request.id, request.ip),
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  onTestFinished(async () => {
    app.server.closeAllConnections();
    await app.close();
    await dispatcher.destroy();
  });
  const { port } = app.server.address() as AddressInfo;
  return {
    app,
    port,
    token,
    routes,
    records,
    faults,
    notes,
    kept,
    streams,
    bodies,
    observe,
    dispatcher,
    origin: `http://127.0.0.1:${port}`,
    async record(index) {
      while (records.length <= index) await new Promise<void>((resolve) => waiting.push(resolve));
      const found = records[index];
      if (found === undefined) throw new Error("no such record");
      return found;
    },
    addEndpoint: (endpoint) => {
      const made = makeEndpoint(endpoint);
      endpoints.set(`${made.accountId}/${made.slug}`, made);
    },
    addVendor: (vendor) => void vendors.push(makeVendor(vendor)),
    setKey: (key) => void (state.key = makeKey(key)),
    setAccount: (id) => {
      const { principal } = makeKey();
      state.key = makeKey({ principal: { ...principal, accountId: id, userId: id } });
    },
    get principal() {
      return state.key.principal;
    },
  };
}

function requestId(sent: string | string[] | undefined): string {
  return typeof sent === "string" && /^[A-Za-z0-9._-]{1,64}$/.test(sent)
    ? sent
    : newResourceId("req");
}

function authenticate(headers: CallerCredentialHeaders, token: string, key: CallerKey): CallerKey {
  const credential = readCredential(headers);
  if (credential === undefined) throw new ApiError("unauthorized", "No credential.");
  if (!isWellFormedCredentialToken(credential.token, "cwk") || credential.token !== token) {
    throw new ApiError("unauthorized", "The credential is unknown.");
  }
  return key;
}

function makeKey(key: Partial<CallerKey> = {}): CallerKey {
  return {
    principal: {
      kind: "key",
      keyId: newResourceId("key"),
      accountId,
      userId: accountId,
      teamId: undefined,
      scopes: new Set(["gateway:invoke"]),
    },
    route: "auto",
    mode: "model",
    allowedModels: [],
    rateLimit: undefined,
    budget: undefined,
    tags: undefined,
    ...key,
  };
}

function makeEndpoint(
  endpoint: Partial<CallableCustomEndpoint> & Pick<CallableCustomEndpoint, "baseUrl">,
): CallableCustomEndpoint {
  return {
    accountId,
    slug: "acme",
    label: "Acme",
    models: [],
    modelNames: {},
    modelMeta: {},
    modelCreated: {},
    createdAt: 0,
    dialect: "dialect_chat",
    headers: {},
    apiKey: new Secret("stored-upstream-key"),
    poolKey: newResourceId("upstream"),
    ...endpoint,
  };
}

function makeVendor(
  vendor: Partial<CallableVendor> & Pick<CallableVendor, "id" | "baseUrl">,
): CallableVendor {
  return {
    accountId,
    label: vendor.id,
    models: undefined,
    dialects: ["dialect_chat"],
    auth: "bearer",
    token: new Secret("stored-vendor-key"),
    headers: {},
    poolKey: newResourceId("upstream"),
    ...vendor,
  };
}
