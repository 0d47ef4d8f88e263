import type { EntityManager } from "@mikro-orm/postgresql";
import type { JsonObject } from "../../dialect/json.ts";
import { maxJsonValues } from "../../dialect/value-limit.ts";
import { StoredJsonParseBudget } from "../../platform/stored-json-budget.ts";
import type {
  AgentThreadService,
  ThreadWithRunningTurn,
  ThreadConversation,
} from "../../domain/agent-thread.ts";
import type { AgentHistoryReader } from "../../domain/agent-turn.ts";
import type { ThreadContinuation, ThreadTurnStore } from "../../domain/durable-turn.ts";
import type { Clock } from "../../platform/clock.ts";
import {
  estimateOpenedByteLength,
  type SealedValueBinding,
  type SecretBox,
} from "../../platform/crypto/secret-box.ts";
import { toDatabaseUnavailableError } from "../../platform/database/database-unavailable.ts";
import { newResourceId } from "../../platform/ids.ts";
import { openMemoryReservationScope, type MemoryReserver } from "../../platform/hold-memory.ts";
import { KeyedConcurrencyLimiter, maxWaitingWorkPerAccount } from "../../platform/keyed-limiter.ts";
import type { ApprovalRequestSigner } from "../run/approval-id.ts";
import { insertToolCallsBeforeApprovals } from "./approval-calls.ts";
import { AgentThreadEntity, type AgentThread } from "./agent-thread.entity.ts";
import {
  addMissingToolOutputs,
  findPendingApprovalIds,
  findAnswerableToolCallIds,
  buildThreadItems,
} from "./thread-items.ts";

const table = "agent_threads";
const column = "history";

/** What `causeway keys rewrap` moves to another master key. */
export const threadSealedColumns = [{ table, column, rowId: "id" }];

export interface AgentThreadStoreDependencies {
  readonly fork: () => EntityManager;
  readonly box: SecretBox;
  readonly clock: Clock;
  readonly turns: ThreadTurnStore;
  readonly approvals: ApprovalRequestSigner;
}

/** Threads in the database, and what was said in them. */
export class AgentThreadStore implements AgentThreadService, AgentHistoryReader {
  readonly #dependencies: AgentThreadStoreDependencies;
  /** Calls that branch from one long thread load all of it, each. */
  readonly #loads = new KeyedConcurrencyLimiter(2, maxWaitingWorkPerAccount);
  /** Turns that begin at the same time load their threads a few at a time. */
  readonly #histories = new KeyedConcurrencyLimiter(4);

  constructor(dependencies: AgentThreadStoreDependencies) {
    this.#dependencies = dependencies;
  }

  async find(accountId: string, session: string): Promise<ThreadWithRunningTurn | undefined> {
    return this.#found(await this.#row({ accountId, session }));
  }

  async findByTurn(accountId: string, turnId: string): Promise<ThreadWithRunningTurn | undefined> {
    const id = await this.#dependencies.turns.threadOf(accountId, turnId);
    return id === undefined ? undefined : this.#found(await this.#row({ accountId, id }));
  }

  conversation(
    { id }: Pick<ThreadWithRunningTurn, "id">,
    hold: MemoryReserver,
    upTo?: string,
  ): Promise<ThreadConversation> {
    return this.#loads.run(id, async () => {
      hold(await this.#dependencies.turns.bytes(id));
      return this.#conversation(id, hold, upTo);
    });
  }

  async #conversation(
    id: string,
    hold: MemoryReserver,
    upTo: string | undefined,
  ): Promise<ThreadConversation> {
    const [history, turns] = await Promise.all([
      this.#history(id, hold),
      this.#dependencies.turns.itemsOfThread(id, new StoredJsonParseBudget(hold, maxJsonValues)),
    ]);
    const end = upTo === undefined ? turns.length : turns.findIndex((turn) => turn.id === upTo) + 1;
    const said = turns.slice(0, end);
    const last = said.at(-1);
    return {
      ...conversationOf(buildThreadItems(history, said)),
      lastTurn: last?.id,
      lastEngine: last?.engine,
    };
  }

  conversationOf(items: readonly JsonObject[]): ThreadConversation {
    return conversationOf(items);
  }

  resentConversation(accountId: string, items: readonly JsonObject[]): ThreadConversation {
    const { approvals } = this.#dependencies;
    const isProven = (request: JsonObject) => approvals.isSigned(accountId, request);
    return conversationOf(insertToolCallsBeforeApprovals(items, isProven));
  }

  prepareThread(session: string | undefined, history: readonly JsonObject[]): ThreadContinuation {
    const id = newResourceId("thread", this.#dependencies.clock.now());
    const sealed =
      history.length === 0
        ? undefined
        : this.#dependencies.box.seal(JSON.stringify(history), bindingOf(id));
    return { id, session: session ?? id, isNew: true, history: sealed, lastTurn: undefined };
  }

  historyBefore(
    turn: { readonly id: string; readonly threadId: string },
    hold: MemoryReserver,
  ): Promise<readonly JsonObject[]> {
    return this.#histories.run("all", async () => {
      const scope = openMemoryReservationScope(hold);
      try {
        scope.hold(await this.#dependencies.turns.bytes(turn.threadId));
        return await this.#historyBefore(turn, scope.hold);
      } catch (error) {
        // A worker may try again.
        scope.giveBack();
        throw error;
      }
    });
  }

  async #historyBefore(
    turn: { readonly id: string; readonly threadId: string },
    hold: MemoryReserver,
  ): Promise<readonly JsonObject[]> {
    const { threadId } = turn;
    const [history, turns] = await Promise.all([
      this.#history(threadId, hold),
      // Its values were counted when its last turn was asked for.
      this.#dependencies.turns.itemsOfThread(threadId, new StoredJsonParseBudget(hold, Infinity)),
    ]);
    const place = turns.findIndex(({ id }) => id === turn.id);
    const earlier = buildThreadItems(history, turns.slice(0, Math.max(place, 0)));
    return addMissingToolOutputs(earlier, turns[place]?.input ?? []);
  }

  async #found(row: AgentThread | null): Promise<ThreadWithRunningTurn | undefined> {
    if (row === null) return undefined;
    const { id, session } = row;
    return { id, session, running: await this.#dependencies.turns.running(id) };
  }

  async #history(id: string, hold: MemoryReserver): Promise<readonly JsonObject[]> {
    const row = await this.#dependencies
      .fork()
      .findOne(AgentThreadEntity, { id, deletedAt: null })
      .catch(rejectUnavailable);
    const sealed = row?.history ?? undefined;
    if (sealed === undefined) return [];
    hold(estimateOpenedByteLength(sealed.length));
    return JSON.parse(this.#dependencies.box.open(sealed, bindingOf(id))) as JsonObject[];
  }

  #row(where: { readonly accountId: string } & Partial<Pick<AgentThread, "id" | "session">>) {
    const alive = { deletedAt: null, expiresAt: { $gt: new Date(this.#dependencies.clock.now()) } };
    return this.#dependencies
      .fork()
      .findOne(AgentThreadEntity, { ...where, ...alive })
      .catch(rejectUnavailable);
  }
}

function conversationOf(items: readonly JsonObject[]): ThreadConversation {
  return {
    items,
    lastTurn: undefined,
    lastEngine: undefined,
    openToolCalls: findAnswerableToolCallIds(items),
    openApprovals: findPendingApprovalIds(items),
    itemsBefore: (input) => addMissingToolOutputs(items, input),
  };
}

function bindingOf(row: string): SealedValueBinding {
  return { table, row, column };
}

/** The routes answer 503 while the database is away. */
function rejectUnavailable(error: unknown): never {
  throw toDatabaseUnavailableError(error) ?? error;
}
