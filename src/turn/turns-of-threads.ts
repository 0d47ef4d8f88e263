import type { EntityManager } from "@mikro-orm/postgresql";
import type { ThreadTurn, ThreadTurns, TurnCount } from "../kernel/durable-turn.ts";
import { databaseUnavailable } from "../platform/database/database-unavailable.ts";
import { viewTurn } from "./seen-turn.ts";
import type { DatedTurn, TurnStore } from "./turn-store.ts";
import { TurnSchema } from "./turn.entity.ts";

export interface TurnsOfThreadsDependencies {
  readonly fork: () => EntityManager;
  readonly store: TurnStore;
}

interface CountRow {
  readonly threadId: string;
  readonly count: number;
  readonly endedAt: Date | string | null;
}

/** The turns of threads in the database. */
export class TurnsOfThreads implements ThreadTurns {
  readonly #fork: () => EntityManager;
  readonly #store: TurnStore;

  constructor({ fork, store }: TurnsOfThreadsDependencies) {
    this.#fork = fork;
    this.#store = store;
  }

  async ofThread(threadId: string): Promise<readonly ThreadTurn[]> {
    return (await this.#store.ofThread(threadId)).map(threadTurn);
  }

  async running(threadId: string): Promise<string | undefined> {
    const row = await this.#fork()
      .findOne(TurnSchema, { threadId, endedAt: null }, { fields: ["id"] })
      .catch(refuse);
    return row?.id;
  }

  async threadOf(accountId: string, turnId: string): Promise<string | undefined> {
    const row = await this.#fork()
      .findOne(TurnSchema, { id: turnId, accountId }, { fields: ["threadId"] })
      .catch(refuse);
    return row?.threadId ?? undefined;
  }

  async counts(threadIds: readonly string[]): Promise<ReadonlyMap<string, TurnCount>> {
    const rows = await this.#fork().execute<CountRow[]>(
      `select "thread_id" as "threadId", count(*)::int as "count", max("ended_at") as "endedAt"
       from "turns" where "thread_id" in (select json_array_elements_text(?::json))
       group by "thread_id"`,
      [JSON.stringify(threadIds)],
    );
    return new Map(
      rows.map(({ threadId, count, endedAt }) => [
        threadId,
        { count, endedAt: endedAt === null ? undefined : new Date(endedAt) },
      ]),
    );
  }

  async deleteEnded(threadId: string): Promise<void> {
    await this.#fork().nativeDelete(TurnSchema, { threadId, endedAt: { $ne: null } });
  }
}

/** Deletes the turns of threads; those threads are being deleted themselves. */
export async function eraseTurnsOf(em: EntityManager, threadIds: readonly string[]): Promise<void> {
  await em.nativeDelete(TurnSchema, { threadId: { $in: [...threadIds] } });
}

function threadTurn(turn: DatedTurn): ThreadTurn {
  const { id, content, createdAt, endedAt } = turn;
  return { ...viewTurn(turn), id, agent: content.agent, createdAt, endedAt };
}

/** The routes answer 503 while the database is away. */
function refuse(error: unknown): never {
  throw databaseUnavailable(error) ?? error;
}
