import type { EntityManager } from "@mikro-orm/postgresql";
import type { JsonObject } from "../../dialect/json.ts";
import type { AgentThreads, FoundThread, ThreadConversation } from "../../kernel/agent-thread.ts";
import type { AgentHistory } from "../../kernel/agent-turn.ts";
import type { JoinedThread, ThreadTurns } from "../../kernel/durable-turn.ts";
import type { Clock } from "../../platform/clock.ts";
import type { SealBinding, SecretBox } from "../../platform/crypto/secret-box.ts";
import { databaseUnavailable } from "../../platform/database/database-unavailable.ts";
import { newId } from "../../platform/ids.ts";
import { withApprovalCalls } from "./approval-calls.ts";
import { AgentThreadSchema, type AgentThread } from "./agent-thread.entity.ts";
import { closeCallsBefore, openApprovalIds, openCallIds, threadItems } from "./thread-items.ts";

const table = "agent_threads";
const column = "history";

/** What `causeway keys rewrap` moves to another master key. */
export const threadSealedColumns = [{ table, column, rowId: "id" }];

export interface AgentThreadStoreDependencies {
  readonly fork: () => EntityManager;
  readonly box: SecretBox;
  readonly clock: Clock;
  readonly turns: ThreadTurns;
}

/** Threads in the database, and what was said in them. */
export class AgentThreadStore implements AgentThreads, AgentHistory {
  readonly #dependencies: AgentThreadStoreDependencies;

  constructor(dependencies: AgentThreadStoreDependencies) {
    this.#dependencies = dependencies;
  }

  async find(accountId: string, session: string): Promise<FoundThread | undefined> {
    return this.#found(await this.#row({ accountId, session }));
  }

  async ofTurn(accountId: string, turnId: string): Promise<FoundThread | undefined> {
    const id = await this.#dependencies.turns.threadOf(accountId, turnId);
    return id === undefined ? undefined : this.#found(await this.#row({ accountId, id }));
  }

  async conversation({ id }: Pick<FoundThread, "id">, upTo?: string): Promise<ThreadConversation> {
    const [history, turns] = await Promise.all([
      this.#history(id),
      this.#dependencies.turns.ofThread(id),
    ]);
    const end = upTo === undefined ? turns.length : turns.findIndex((turn) => turn.id === upTo) + 1;
    const said = turns.slice(0, end);
    const last = said.at(-1);
    return {
      ...conversationOf(threadItems(history, said)),
      lastTurn: last?.id,
      lastEngine: last?.agent?.engine,
    };
  }

  said(items: readonly JsonObject[]): ThreadConversation {
    return conversationOf(withApprovalCalls(items));
  }

  begin(session: string | undefined, history: readonly JsonObject[]): JoinedThread {
    const id = newId("thread", this.#dependencies.clock.now());
    const sealed =
      history.length === 0
        ? undefined
        : this.#dependencies.box.seal(JSON.stringify(history), bindingOf(id));
    return { id, session: session ?? id, isNew: true, history: sealed };
  }

  async before(turn: {
    readonly id: string;
    readonly threadId: string;
  }): Promise<readonly JsonObject[]> {
    const { threadId } = turn;
    const [history, turns] = await Promise.all([
      this.#history(threadId),
      this.#dependencies.turns.ofThread(threadId),
    ]);
    const place = turns.findIndex(({ id }) => id === turn.id);
    const earlier = threadItems(history, turns.slice(0, Math.max(place, 0)));
    return closeCallsBefore(earlier, turns[place]?.input ?? []);
  }

  async #found(row: AgentThread | null): Promise<FoundThread | undefined> {
    if (row === null) return undefined;
    const { id, session } = row;
    return { id, session, running: await this.#dependencies.turns.running(id) };
  }

  async #history(id: string): Promise<readonly JsonObject[]> {
    const row = await this.#dependencies
      .fork()
      .findOne(AgentThreadSchema, { id, deletedAt: null })
      .catch(refuse);
    const sealed = row?.history ?? undefined;
    if (sealed === undefined) return [];
    return JSON.parse(this.#dependencies.box.open(sealed, bindingOf(id))) as JsonObject[];
  }

  #row(where: { readonly accountId: string } & Partial<Pick<AgentThread, "id" | "session">>) {
    const alive = { deletedAt: null, expiresAt: { $gt: new Date(this.#dependencies.clock.now()) } };
    return this.#dependencies
      .fork()
      .findOne(AgentThreadSchema, { ...where, ...alive })
      .catch(refuse);
  }
}

function conversationOf(items: readonly JsonObject[]): ThreadConversation {
  return {
    items,
    lastTurn: undefined,
    lastEngine: undefined,
    openCalls: openCallIds(items),
    openApprovals: openApprovalIds(items),
    before: (input) => closeCallsBefore(items, input),
  };
}

function bindingOf(row: string): SealBinding {
  return { table, row, column };
}

/** The routes answer 503 while the database is away. */
function refuse(error: unknown): never {
  throw databaseUnavailable(error) ?? error;
}
