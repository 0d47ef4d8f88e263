import type { EntityManager } from "@mikro-orm/postgresql";
import { asJsonObjectElements, asString, type JsonObject } from "../dialect/json.ts";
import type { StoredJsonParseBudget } from "../platform/stored-json-budget.ts";
import { maxJsonValues } from "../dialect/value-limit.ts";
import { threadTooLargeError } from "../domain/agent-thread.ts";
import type { AgentTurnSettings } from "../domain/agent-turn.ts";
import type {
  ThreadTurn,
  ThreadTurnItems,
  ThreadTurnStore,
  ThreadTurnSummary,
} from "../domain/durable-turn.ts";
import { estimateOpenedByteLength, type SecretBox } from "../platform/crypto/secret-box.ts";
import { toDatabaseUnavailableError } from "../platform/database/database-unavailable.ts";
import type { ApiError } from "../platform/errors.ts";
import { canBeResourceId } from "../platform/ids.ts";
import { splitJsonMembers } from "../platform/json-splice/split-members.ts";
import { mapWithPauses } from "../platform/map-with-pauses.ts";
import { TurnContentSealer } from "./turn-encryption.ts";
import { assertStoredTurnFormat } from "./turn-store.ts";
import { DurableTurnEntity, countSealedTurnCharacters, type DurableTurn } from "./turn.entity.ts";

export interface DatabaseThreadTurnStoreDependencies {
  readonly fork: () => EntityManager;
  readonly box: SecretBox;
}

/** JSON of a turn. */
interface OpenedTurnJson {
  readonly content: Buffer;
  /** Undefined while it waits or runs. */
  readonly end: Buffer | undefined;
}

interface CountRow {
  readonly threadId: string;
  readonly count: number;
  readonly endedAt: Date | string | null;
}

/** The turns of threads in the database. */
export class DatabaseThreadTurnStore implements ThreadTurnStore {
  readonly #fork: () => EntityManager;
  readonly #seals: TurnContentSealer;

  constructor({ fork, box }: DatabaseThreadTurnStoreDependencies) {
    this.#fork = fork;
    this.#seals = new TurnContentSealer(box);
  }

  async ofThread(threadId: string, budget: StoredJsonParseBudget): Promise<readonly ThreadTurn[]> {
    return this.#open(threadId, ({ id, createdAt, endedAt, status, cancelledAt }, sealed) => {
      const stored = splitJsonMembers(sealed.end ?? sealed.content);
      const response = splitJsonMembers(stored.get("response") ?? sealed.end ?? sealed.content);
      const read = (name: string) => budget.parseMember(response, name, tooManyValuesError);
      const running = cancelledAt === null ? status : "cancelled";
      return {
        id,
        status: sealed.end === undefined ? running : (asString(read("status")) ?? ""),
        model: asString(read("model")) ?? "",
        input: itemsIn(budget, splitJsonMembers(sealed.content), "input"),
        output: itemsIn(budget, response, "output"),
        createdAt,
        endedAt: endedAt ?? undefined,
      };
    });
  }

  async itemsOfThread(
    threadId: string,
    budget: StoredJsonParseBudget,
  ): Promise<readonly ThreadTurnItems[]> {
    return this.#open(threadId, ({ id }, sealed) => {
      const content = splitJsonMembers(sealed.content);
      const end = sealed.end && splitJsonMembers(sealed.end);
      const input = itemsIn(budget, content, "input");
      const agent = budget.parseMember(content, "agent", tooManyValuesError);
      // An agent's turn that was ended unread has only a response: it adds its input to its thread.
      const added = end?.has("items") === true ? itemsIn(budget, end, "items") : input;
      return {
        id,
        engine: (agent as AgentTurnSettings | undefined)?.engine,
        input,
        items: end === undefined ? undefined : added,
      };
    });
  }

  /** Opens the turns of a thread one by one, oldest first. Between them other work has its turn. */
  async #open<Opened>(
    threadId: string,
    open: (turn: DurableTurn, sealed: OpenedTurnJson) => Opened,
  ): Promise<Opened[]> {
    const rows = await this.#fork()
      .find(
        DurableTurnEntity,
        { threadId },
        { orderBy: { position: "asc" }, disableIdentityMap: true },
      )
      .catch(refuse);
    return mapWithPauses(rows, countSealedTurnCharacters, (row) => {
      assertStoredTurnFormat(row);
      const { id, response } = row;
      const content = this.#seals.openContentBytes(id, row.content);
      const end = response === null ? undefined : this.#seals.openEndBytes(id, response);
      return open(row, { content, end });
    });
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
    if (!canBeResourceId(turnId)) return undefined;
    const row = await this.#fork()
      .findOne(DurableTurnEntity, { id: turnId, accountId }, { fields: ["threadId"] })
      .catch(refuse);
    return row?.threadId ?? undefined;
  }

  async counts(threadIds: readonly string[]): Promise<ReadonlyMap<string, ThreadTurnSummary>> {
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

function itemsIn(
  budget: StoredJsonParseBudget,
  members: ReadonlyMap<string, Buffer>,
  name: string,
): readonly JsonObject[] {
  return asJsonObjectElements(budget.parseMember(members, name, tooManyValuesError));
}

function tooManyValuesError(): ApiError {
  return threadTooLargeError(`${maxJsonValues.toLocaleString("en-US")} JSON values`);
}

/** The routes answer 503 while the database is away. */
function refuse(error: unknown): never {
  throw toDatabaseUnavailableError(error) ?? error;
}
