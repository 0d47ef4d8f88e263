import type { EntityManager } from "@mikro-orm/postgresql";
import type { AgentEngine, AgentTurnSettings } from "./agent-turn.ts";
import type { CallTags } from "./call-tags.ts";
import type { CallForwardingMode, PaymentRoute } from "./call-log-entry.ts";
import type { ModelPrice } from "../platform/configuration/model-price.ts";
import type { MemoryReleaser, MemoryReservationScope } from "../platform/hold-memory.ts";
import type { MemoryAndAbortContext } from "../platform/database/counted-loader.ts";
import type { JsonObject } from "../platform/json-value.ts";
import type { StoredJsonParseBudget } from "../platform/stored-json-budget.ts";

/**
 * Most bytes of what a turn gathers, as JSON: its items, of all model calls together, and the
 * results of its tool calls. All of it is in memory while the turn runs, and in its last event.
 */
export const maxAccumulatedTurnBytes = 64 * 1024 * 1024;

/** An event of a responses stream, numbered or not. */
export type ResponsesStreamEvent = JsonObject & { readonly type: string };

/** What a call that runs as a turn was asked with. No credential is in it. */
export interface StoredTurnRequest {
  readonly requestId: string;
  /** Network address of the caller. */
  readonly address: string;
  /** Id of its first model call, which the caller was told. */
  readonly callId: string;
  /** Headers of the request that a model call reads. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

/** A turn that is to be stored, and then run by any process of the installation. */
export interface NewTurn {
  /** `turn_…`. */
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly request: StoredTurnRequest;
  /** Items of the request, as `input_items` lists them. */
  readonly input: readonly JsonObject[];
  /** The response object, complete, with the status `queued`. */
  readonly response: JsonObject;
  /** What makes it an agent's; absent: an ordinary model answers. */
  readonly agent?: AgentTurnSettings;
  /** The thread that it goes on with; with `agent`, and only then. */
  readonly thread?: ThreadContinuation;
  /** Answers that it begins with; with `thread`, and only then. */
  readonly answers?: readonly CallerToolReply[];
}

/** How a caller answered: an approval it gave or refused; of a call's results what they are stands in `asked`. */
export type CallerToolReplyKind = "approved" | "refused" | "results";

/** An answer of a caller that begins a turn. It is given once: no other turn of the account begins with it. */
export interface CallerToolReply {
  /** Names what is answered: at most 64 characters, without a word of the conversation. */
  readonly asked: string;
  readonly verdict: CallerToolReplyKind;
}

/** An answer that has begun a turn. */
export interface ConsumedCallerToolReply extends CallerToolReply {
  /** The turn may have been deleted since. */
  readonly turnId: string;
}

/** The thread that a turn goes on with, as whoever starts the turn has found it. */
export interface ThreadContinuation {
  /** `thread_…`. */
  readonly id: string;
  readonly session: string;
  /** There was none: it begins with this turn. */
  readonly isNew: boolean;
  /** Sealed items that a new one begins with; undefined: none. */
  readonly history: string | undefined;
  /** Id of the turn that stood last; undefined: there was none. */
  readonly lastTurn: string | undefined;
}

/** A turn of a thread with what it adds to it. */
export interface ThreadTurnItems extends TurnConversationItems {
  readonly id: string;
  readonly engine: AgentEngine | undefined;
}

/** A turn of a thread, as its account may see it. */
export interface ThreadTurn {
  readonly id: string;
  readonly status: string;
  /** Model that its call named. */
  readonly model: string;
  readonly input: readonly JsonObject[];
  /** Items of its response. */
  readonly output: readonly JsonObject[];
  readonly createdAt: Date;
  /** Undefined: it waits or runs. */
  readonly endedAt: Date | undefined;
}

/** What is known of the turns of a thread without reading them. */
export interface ThreadTurnSummary {
  readonly count: number;
  /** When the last of them ended; undefined: none has. */
  readonly endedAt: Date | undefined;
}

/** Turns by their threads; implemented by the turn domain. */
export interface ThreadTurnStore {
  /** Oldest first. Rejects with 413 for more JSON values than the budget has. */
  ofThread(threadId: string, budget: StoredJsonParseBudget): Promise<readonly ThreadTurn[]>;
  /** Returns their items likewise. */
  itemsOfThread(
    threadId: string,
    budget: StoredJsonParseBudget,
  ): Promise<readonly ThreadTurnItems[]>;
  /** Bytes of those turns, without loading them. */
  bytes(threadId: string): Promise<number>;
  /** The turn that waits or runs; undefined: all have ended. */
  running(threadId: string): Promise<string | undefined>;
  /** Thread of a turn of the account; undefined: there is no such turn, or it belongs to none. */
  threadOf(accountId: string, turnId: string): Promise<string | undefined>;
  /** By thread; those without turns are left out. */
  counts(threadIds: readonly string[]): Promise<ReadonlyMap<string, ThreadTurnSummary>>;
  /** Deletes what has ended. */
  deleteEnded(threadId: string): Promise<void>;
}

/** The response of a turn as its account may see it. */
export interface TurnResponseView {
  /** The response object as it stands. */
  readonly response: JsonObject;
  /** About how many turns are begun until this one is, itself included; undefined: it does not wait. */
  readonly queuePosition?: number | undefined;
}

/** A turn as its account may see it, with the items of its request. */
export interface TurnView extends TurnResponseView {
  readonly input: readonly JsonObject[];
}

/** A turn with what it adds to its thread. */
export interface TurnConversationItems {
  readonly input: readonly JsonObject[];
  /**
   * What an agent's turn that has ended adds to its thread, as a model is to read it, its
   * input included: the calls and outputs of all tools are `function_call` and
   * `function_call_output`; a call that waits for its caller has no output, and where it
   * waits for an approval its `mcp_approval_request`, with a `call_id`, stands behind it.
   * Undefined: it runs, or is no agent's.
   */
  readonly items: readonly JsonObject[] | undefined;
}

/** A turn that was stored. */
export type StoredTurnQueuePosition = Pick<TurnResponseView, "queuePosition">;

/** A turn, and how a caller follows its events. */
export interface FollowedTurn {
  readonly accountId: string;
  readonly id: string;
  /** Number of the last event that the caller has, -1 for none. */
  readonly after: number;
  /** The caller's request began the turn, so it gets the events even if its account holds too much memory. */
  readonly isStarter: boolean;
  /** Each piece of a large batch ends with an event, because the reader decodes them. */
  readonly wantsWholeEvents: boolean;
}

/** Turns as the routes use them; implemented by the turn domain. */
export interface DurableTurnService {
  /** Whether answers are kept at all. */
  readonly isEnabled: boolean;
  /**
   * Stores a turn, which then runs. Undefined: its thread is not as it was found, or another
   * turn has begun with one of its answers; look at both again. Rejects with 429 where its key
   * or account has as many as it may, and with 503.
   */
  start(turn: NewTurn): Promise<StoredTurnQueuePosition | undefined>;
  /** Finds by `asked` those answers that have begun a turn of the account. Rejects with 503 while the database is away. */
  answered(
    accountId: string,
    asked: readonly string[],
  ): Promise<ReadonlyMap<string, ConsumedCallerToolReply>>;
  /** Finds a turn without its content. Returns undefined if the account has no such turn. */
  findState(
    accountId: string,
    id: string,
  ): Promise<Pick<TurnResponseView, "queuePosition"> | undefined>;
  /** Finds the response of a turn. Returns undefined like `findState`, and rejects with what `hold` throws. */
  findResponse(
    accountId: string,
    id: string,
    context: MemoryAndAbortContext,
  ): Promise<TurnResponseView | undefined>;
  /** Finds the items of a turn's request. Returns and rejects like `findResponse`. */
  findInput(
    accountId: string,
    id: string,
    context: MemoryAndAbortContext,
  ): Promise<readonly JsonObject[] | undefined>;
  /** Finds both. Returns and rejects like `findResponse`. */
  find(
    accountId: string,
    id: string,
    context: MemoryAndAbortContext,
  ): Promise<TurnView | undefined>;
  /**
   * Resolves when a turn has ended, is no more, or `signal` is aborted. Rejects with 503
   * when this server is shutting down.
   */
  waitUntilEnded(accountId: string, id: string, signal: AbortSignal): Promise<void>;
  /** Ends a turn that runs; resolves with its response when it has ended. */
  cancel(
    accountId: string,
    id: string,
    context: MemoryAndAbortContext,
  ): Promise<TurnResponseView | undefined>;
  /** False: there was none. One that runs is cancelled first. */
  delete(accountId: string, id: string): Promise<boolean>;
  /**
   * The frames of its events behind `after`, as they were sent or will be, until its last
   * or until `signal` is aborted. Large batches come as bytes in pieces. Where nothing comes for a
   * while, a keep-alive. Rejects with 503 when the server stops before. A caller that did not
   * begin the turn reserves a place first.
   */
  follow(turn: FollowedTurn, signal: AbortSignal): AsyncIterable<Buffer | string>;
  /**
   * Takes a place for a caller that follows a turn which it did not begin, until the returned
   * function is called or `signal` is aborted. Throws 429 when the account, or the turn, has too
   * many of these.
   */
  reserveFollower(accountId: string, id: string, signal: AbortSignal): () => void;
  /** Follows a turn for a caller who takes a stream up again, with a place of its own. Throws like `reserveFollower`. */
  replay(
    accountId: string,
    id: string,
    after: number,
    signal: AbortSignal,
  ): AsyncIterable<Buffer | string>;
}

/** What is noted before a model call of a turn is dialled, for whoever takes the turn over. */
export interface OrphanedCallRecoveryRecord {
  readonly callId: string;
  readonly requestId: string;
  readonly model: string;
  readonly route: PaymentRoute;
  readonly lane: CallForwardingMode;
  readonly tags: CallTags | undefined;
  /** Estimate. */
  readonly promptTokens: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** How many events of the turn were told before it. */
  readonly toldBefore: number;
  /** It is itself made again because a process died. */
  readonly isRepeated: boolean;
  /** Undefined: nobody pays for it here. */
  readonly reservation: { readonly id: string; readonly price: ModelPrice } | undefined;
}

/** A model call of a turn, for whoever makes it. */
export interface TurnModelCallInput {
  readonly turnId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly request: StoredTurnRequest;
  readonly callId: string;
  /** An agent makes it, and not a caller's own model. */
  readonly isMadeByAgent: boolean;
  /** Made again because a process died. */
  readonly isRepeated: boolean;
  /** Bytes that the items of its answer may have: what the turn has not gathered of `maxAccumulatedTurnBytes`. */
  readonly room: number;
  /** Aborted: the call is to end at once. */
  readonly signal: AbortSignal;
  /** Notes what will be dialled; rejects when the turn is not this process's any more. */
  recordIntent(
    intent: Omit<OrphanedCallRecoveryRecord, "toldBefore" | "isRepeated">,
  ): Promise<void>;
  /** Takes an event of its answer; undefined: more may come at once. */
  push(event: ResponsesStreamEvent): Promise<void> | undefined;
  /** Takes the memory of the answer, which the turn has until it is stored. */
  takeMemory(giveBack: MemoryReleaser): void;
  /** Ends the turn as failed after the call, because others need its memory. */
  giveWay(reason: TurnFailure): void;
}

/** What a model call used. */
export interface TurnModelCallUsage {
  /** Caches included. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** What of that is paid for here. */
  readonly costUsd: number;
}

/** What a turn failed with, as a response object tells it. */
export interface TurnFailure {
  readonly code: string;
  readonly message: string;
}

/** How a model call of a turn ended, but for what `terminal` tells. */
export interface TurnModelCallOutcome {
  readonly callId: string;
  /** The last event of its answer; undefined: it has none. */
  readonly terminal: ResponsesStreamEvent | undefined;
  /** Undefined: it did not fail. */
  readonly error: TurnFailure | undefined;
  /** It may be made again: the upstream is busy, in trouble or away. */
  readonly isRetryable: boolean;
  /** Undefined: nothing, as far as is known. */
  readonly used: TurnModelCallUsage | undefined;
  /**
   * Writes what the call used, and keeps the answer that the turn ended with, inside a
   * transaction; again after one that failed.
   */
  commit(em: EntityManager, response: JsonObject | undefined): Promise<void>;
}

/** Who makes the model calls of turns; implemented by the gateway. */
export interface TurnModelCaller {
  /** Before each transaction in which a call's end is written, or that of one that was lost. */
  prepareTransaction(): Promise<void>;
  /** Opens the memory of a turn, which its account is counted for. */
  openMemory(accountId: string): MemoryReservationScope;
  /** Never rejects but for a fault of ours. */
  call(call: TurnModelCallInput): Promise<TurnModelCallOutcome>;
  /** Whether the turn may go on: its key lives, and what was dialled last, if anything was, is still its account's. */
  canContinue(
    turn: Pick<TurnModelCallInput, "accountId" | "keyId">,
    dialled: Pick<OrphanedCallRecoveryRecord, "model" | "route"> | undefined,
  ): Promise<boolean>;
  /** Writes what a call of a dead process used, and tells it: what of it was told, in characters. */
  settleOrphaned(
    em: EntityManager,
    turn: { readonly id: string; readonly accountId: string; readonly keyId: string },
    intent: OrphanedCallRecoveryRecord,
    told: number,
  ): Promise<TurnModelCallUsage>;
}
