import type { EntityManager } from "@mikro-orm/postgresql";
import type { ThreadTurn, ThreadTurnStore, ThreadActivitySummary } from "../domain/durable-turn.ts";
import { estimateOpenedByteLength } from "../platform/crypto/secret-box.ts";
import { toDatabaseUnavailableError } from "../platform/database/database-unavailable.ts";
import { toTurnSnapshot } from "./turn-snapshot.ts";
import type { StoredTurnWithTimes, TurnStore } from "./turn-store.ts";
import { DurableTurnEntity } from "./turn.entity.ts";

export interface DatabaseThreadTurnStoreDependencies {
  readonly fork: () => EntityManager;
  readonly store: TurnStore;
}

interface CountRow {
  readonly threadId: string;
  readonly count: number;
  readonly endedAt: Date | string | null;
}

/** The turns of threads in the database. */
export class DatabaseThreadTurnStore implements ThreadTurnStore {
  readonly #fork: () => EntityManager;
  readonly #store: TurnStore;

  constructor({ fork, store }: DatabaseThreadTurnStoreDependencies) {
    this.#fork = fork;
    this.#store = store;
  }

  async ofThread(threadId: string): Promise<readonly ThreadTurn[]> {
    return (await this.#store.ofThread(threadId)).map(threadTurn);
  }

  async bytes(threadId: string): Promise<number> {
    const [row] = await this.#fork()
      .execute<{ bytes: number }[]>(
        `select coalesce(sum(octet_length("content") + coalesce(octet_length("response"), 0)), 0)::float8 as "bytes"
         from "turns" where "thread_id" = ?`,
        [threadId],
      )
      .catch(refuse);
    return estimateOpenedByteLength(row?.bytes ?? 0);
  }

  async running(threadId: string): Promise<string | undefined> {
    const row = await this.#fork()
      .findOne(DurableTurnEntity, { threadId, endedAt: null }, { fields: ["id"] })
      .catch(refuse);
    return row?.id;
  }

  async threadOf(accountId: string, turnId: string): Promise<string | undefined> {
    const row = await this.#fork()
      .findOne(DurableTurnEntity, { id: turnId, accountId }, { fields: ["threadId"] })
      .catch(refuse);
    return row?.threadId ?? undefined;
  }

  async counts(threadIds: readonly string[]): Promise<ReadonlyMap<string, ThreadActivitySummary>> {
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
    await this.#fork().nativeDelete(DurableTurnEntity, { threadId, endedAt: { $ne: null } });
  }
}

/** Deletes the turns of threads; those threads are being deleted themselves. */
export async function eraseTurnsOfThreads(
  em: EntityManager,
  threadIds: readonly string[],
): Promise<void> {
  await em.nativeDelete(DurableTurnEntity, { threadId: { $in: [...threadIds] } });
}

function threadTurn(turn: StoredTurnWithTimes): ThreadTurn {
  const { id, content, createdAt, endedAt } = turn;
  return { ...toTurnSnapshot(turn), id, agent: content.agent, createdAt, endedAt };
}

/** The routes answer 503 while the database is away. */
function refuse(error: unknown): never {
  throw toDatabaseUnavailableError(error) ?? error;
}
