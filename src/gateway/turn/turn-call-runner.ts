import { once } from "node:events";
import { Readable } from "node:stream";
import type { EntityManager } from "@mikro-orm/postgresql";
import { responsesDialectOperation } from "../../dialect/responses/index.ts";
import { mergeCallTagsPreferringKey } from "../../domain/call-tags.ts";
import type { CallerKey } from "../../domain/caller-key.ts";
import type {
  OrphanedCallRecoveryRecord,
  TurnModelCallInput,
  TurnModelCallOutcome,
  TurnModelCaller,
  TurnModelCallUsage,
} from "../../domain/durable-turn.ts";
import type { HeldRequestBody } from "../../platform/body-memory-budget.ts";
import { createAccountBodyMemoryOwner } from "../../platform/body-holder.ts";
import { ApiError, type ErrorCode } from "../../platform/errors.ts";
import type { MemoryReservationScope } from "../../platform/hold-memory.ts";
import type { RequestRateLimit } from "../../platform/rate-limit/request-buckets.ts";
import type { RequestRateLimiter } from "../../platform/rate-limit/request-limiter.ts";
import { readCallControlHeaders } from "../admission/control-headers.ts";
import type { InboundCallRequest } from "../call/caller-connection.ts";
import type { HeaderAdmittedCall, ReceivedModelCall } from "../call/model-call.ts";
import { createUpstreamDataMemoryCounter } from "../call/hold-peak.ts";
import type { ReservedAttempt } from "../call/reserve-attempt.ts";
import { estimateTextTokens } from "../call/text-length.ts";
import {
  ModelCallPipeline,
  type CallEndObserver,
  type ModelCallPipelineDependencies,
} from "../model-call-pipeline.ts";
import { isFailoverStatus } from "../upstream/retry-rules.ts";
import type { CallerKeyByIdLookup } from "../ports.ts";
import { resolveModelId } from "../routing/resolve-model.ts";
import { buildOrphanedCallLogEntry } from "./orphaned-call.ts";
import {
  DeferredCallRecords,
  toTurnModelCallUsage,
  type DeferredCallRecordsDependencies,
} from "./turn-billing.ts";
import { apiErrorToTurnFailure, TurnResponseReceiver } from "./turn-response-sink.ts";

/** Vendors have other codes for their limits. */
const ownLimitCode: ErrorCode = "rate_limited";

/** What model calls of turns are made with. */
export interface TurnModelCallRunnerDependencies {
  /** As those of other calls are. */
  readonly pipeline: ModelCallPipelineDependencies;
  readonly billing: DeferredCallRecordsDependencies;
  readonly authenticator: CallerKeyByIdLookup;
  readonly buckets: RequestRateLimiter;
  readonly defaultLimit: RequestRateLimit;
  /** Who hears what becomes of a call. */
  readonly observe: (requestId: string, address: string) => CallEndObserver;
}

/** Makes the model calls of turns: they go the way of all model calls, and their caller is the turn. */
export class TurnModelCallRunner implements TurnModelCaller {
  readonly #dependencies: TurnModelCallRunnerDependencies;

  constructor(dependencies: TurnModelCallRunnerDependencies) {
    this.#dependencies = dependencies;
  }

  async prepareTransaction(): Promise<void> {
    const { billing: books, pipeline: journey } = this.#dependencies;
    await books.recorder.prepare(journey.clock.now());
  }

  openMemory(accountId: string): MemoryReservationScope {
    let memory: HeldRequestBody | undefined;
    return {
      hold: (bytes) => (memory ??= this.#openAllocation(accountId)).hold(bytes),
      giveBack: () => memory?.release(),
    };
  }

  #openAllocation(accountId: string): HeldRequestBody {
    const memory = this.#dependencies.pipeline.bodies.allocate(
      createAccountBodyMemoryOwner(accountId),
    );
    memory.finish();
    return memory;
  }

  async call(turn: TurnModelCallInput): Promise<TurnModelCallOutcome> {
    const books = new DeferredCallRecords(this.#dependencies.billing, turn.turnId, turn.isRepeated);
    const held = this.#openAllocation(turn.accountId);
    const memory = {
      event: createUpstreamDataMemoryCounter(held.hold.bind(held)),
      answer: createUpstreamDataMemoryCounter(held.hold.bind(held)),
    };
    const connection = new TurnResponseReceiver((event) => turn.push(event), turn.room, memory);
    held.finish((reason) => connection.giveWay(reason));
    const closed = once(connection, "close").catch(() => undefined);
    const drop = (): void => void connection.destroy();
    turn.signal.addEventListener("abort", drop);
    this.#pipeline(turn, books, connection).start();
    if (turn.signal.aborted) drop();
    await closed;
    held.finish((reason) => turn.giveWay(apiErrorToTurnFailure(reason)));
    turn.takeMemory(() => held.release());
    turn.signal.removeEventListener("abort", drop);
    return endOf(turn, books, connection);
  }

  async canContinue(
    { accountId, keyId }: Pick<TurnModelCallInput, "accountId" | "keyId">,
    dialled: Pick<OrphanedCallRecoveryRecord, "model" | "route"> | undefined,
  ): Promise<boolean> {
    try {
      await this.#dependencies.authenticator.liveKey(keyId);
      return dialled?.route !== "byo" || (await this.#isLinked(accountId, dialled.model));
    } catch (error) {
      // A database that is away says nothing of the key.
      return !(error instanceof ApiError) || error.status >= 500;
    }
  }

  /** Whether the account still has the endpoint, or the credential, that a canonical id names. */
  async #isLinked(accountId: string, canonicalId: string): Promise<boolean> {
    const { directories } = this.#dependencies.pipeline;
    const resolved = await resolveModelId(directories, accountId, canonicalId);
    return "accountTargets" in resolved && resolved.accountTargets.length > 0;
  }

  async settleOrphaned(
    em: EntityManager,
    turn: { readonly id: string; readonly accountId: string; readonly keyId: string },
    intent: OrphanedCallRecoveryRecord,
    told: number,
  ): Promise<TurnModelCallUsage> {
    const { ledger, recorder: keeper } = this.#dependencies.billing;
    const { clock } = this.#dependencies.pipeline;
    const used = {
      input: intent.promptTokens,
      cacheRead: 0,
      cacheWrite: 0,
      output: estimateTextTokens(told),
      isEstimated: true,
      raw: undefined,
    };
    if (intent.reservation !== undefined) await ledger.settleOrphaned(em, intent.reservation, used);
    await keeper.write(em, buildOrphanedCallLogEntry(turn, intent, used, clock.now()));
    return toTurnModelCallUsage(used, intent.reservation?.price);
  }

  #pipeline(
    turn: TurnModelCallInput,
    books: DeferredCallRecords,
    connection: TurnResponseReceiver,
  ): ModelCallPipeline {
    const { pipeline: journey, observe } = this.#dependencies;
    const { requestId, address, headers, body } = turn.request;
    const observer = noteOwnLimit(observe(requestId, address), connection);
    const arrived: ReceivedModelCall = {
      requestId,
      address,
      surface: responsesDialectOperation,
      query: "",
      headers,
      startedAt: observer.startedAt,
    };
    const dependencies: ModelCallPipelineDependencies = {
      ...journey,
      admit: (call, progress) => this.#admit(turn, call, (known) => (progress.call = known)),
      ledger: books,
      recorder: books,
      transcoding: { ...journey.transcoding, storedResponses: books.keptTurns() },
      recordIntent: (route) => turn.recordIntent(intentOf(route, journey.clock.now())),
    };
    const source: InboundCallRequest = Object.assign(Readable.from([Buffer.from(body)]), {
      headers: {},
    });
    return new ModelCallPipeline(dependencies, observer, arrived, source, connection);
  }

  /** It took its place when it was asked; what it may is looked at anew. */
  async #admit(
    { keyId, callId, turnId, isMadeByAgent: isAgents }: TurnModelCallInput,
    arrived: ReceivedModelCall,
    known: (call: HeaderAdmittedCall) => void,
  ): Promise<HeaderAdmittedCall> {
    const { authenticator, buckets, defaultLimit, pipeline: journey } = this.#dependencies;
    const key: CallerKey = await authenticator.liveKey(keyId);
    const call = {
      ...arrived,
      key,
      callId,
      turnId,
      isMadeByAgent: isAgents,
      controls: readCallControlHeaders(arrived.headers),
      bucket: buckets.peek(keyId, key.rateLimit ?? defaultLimit),
      rateLimitAt: journey.clock.now(),
    };
    known(call);
    return call;
  }
}

/** The turn holds what it has received until it ends, so another call would find no more room. */
function noteOwnLimit(
  observer: CallEndObserver,
  connection: TurnResponseReceiver,
): CallEndObserver {
  return {
    requestId: observer.requestId,
    address: observer.address,
    startedAt: observer.startedAt,
    failed: (error) => observer.failed(error),
    ended: (record) => {
      if (record.errorCode === ownLimitCode) connection.isTooLarge = true;
      observer.ended(record);
    },
  };
}

function endOf(
  turn: TurnModelCallInput,
  books: DeferredCallRecords,
  connection: TurnResponseReceiver,
): TurnModelCallOutcome {
  const { terminal, error, statusCode } = connection;
  const isWhole = terminal !== undefined || error !== undefined;
  const broken = { code: "server_error", message: "The model call broke off." };
  return {
    callId: turn.callId,
    terminal,
    error: isWhole ? error : broken,
    // A stream that failed says no status: what breaks in the middle may hold the next time.
    isRetryable: !connection.isTooLarge && (statusCode < 400 || isFailoverStatus(statusCode)),
    used: books.used(),
    commit: (em, response) => books.commit(em, response),
  };
}

function intentOf(
  { call, reservation: bill }: ReservedAttempt,
  now: number,
): Omit<OrphanedCallRecoveryRecord, "toldBefore" | "isRepeated"> {
  const { callId, requestId, estimatedInput, plan, controls, key } = call;
  return {
    callId,
    requestId,
    model: plan.canonicalId,
    route: plan.route,
    lane: plan.lane === "transcode" ? "transcode" : "pass_through",
    tags: mergeCallTagsPreferringKey(controls.tags, key.tags),
    promptTokens: bill?.promptTokens ?? estimatedInput,
    startedAt: now,
    reservation: bill?.request,
  };
}
