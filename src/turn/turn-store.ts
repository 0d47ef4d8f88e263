import type { EntityManager } from "@mikro-orm/postgresql";
import { asObject, type JsonObject } from "../dialect/json.ts";
import { buildResponsesQueuedResponse } from "../dialect/responses/queued-response.ts";
import type { ConsumedCallerToolReply } from "../domain/durable-turn.ts";
import type { Clock } from "../platform/clock.ts";
import type { SecretBox } from "../platform/crypto/secret-box.ts";
import { toDatabaseUnavailableError } from "../platform/database/database-unavailable.ts";
import { canBeResourceId } from "../platform/ids.ts";
import { parseSseFrameEvent } from "./parse-frame.ts";
import { ConsumedCallerToolReplyEntity } from "./taken-answer.entity.ts";
import { TurnEventBatchEntity } from "./turn-event-batch.entity.ts";
import type { NewTurnRow } from "./turn-queue.ts";
import { TurnColumnReader } from "./turn-part-reader.ts";
import {
  buildTurnEventBatchId,
  TurnContentSealer,
  type StoredTurnContent,
} from "./turn-encryption.ts";
import { DurableTurnEntity, type DurableTurn } from "./turn.entity.ts";

/** What `causeway keys rewrap` moves to another master key. */
export const turnSealedColumns = [
  { table: "turns", column: "content", rowId: "id" },
  { table: "turns", column: "response", rowId: "id" },
  { table: "turn_batches", column: "frames", rowId: "id" },
];

/** A turn, opened. */
export interface StoredTurn extends Pick<
  DurableTurn,
  "id" | "accountId" | "keyId" | "status" | "lastSequence"
> {
  readonly content: StoredTurnContent;
  /** The response object that it ended with; undefined: it runs. */
  readonly ended: JsonObject | undefined;
  /** What an agent's that has ended adds to its thread. */
  readonly items: readonly JsonObject[] | undefined;
  readonly isCancelled: boolean;
}

/** The little of a turn that runs by which it can be ended unread. */
export interface UnreadTurnEndState {
  readonly lastSequence: number;
  /** The response object, without what the request said where that is large. */
  readonly queued: JsonObject;
}

/** Under which the change feed tells that somebody asked for the end of a turn. */
export const turnCancellationTopic = "turn_ends";

/** Frames that were told together. */
export interface TurnFrameBatch {
  readonly first: number;
  readonly frames: readonly string[];
}

/** What was told of a turn, at one moment. */
export interface TurnFrameSnapshot {
  /** Oldest first. */
  readonly batches: readonly TurnFrameBatch[];
  /** Nothing comes behind them. */
  readonly hasEnded: boolean;
}

/** The end of a turn as it is stored. */
export interface SealedTurnEnd extends Pick<DurableTurn, "status" | "lastSequence"> {
  readonly response: string;
  /** Number of the first of its last events. */
  readonly first: number;
  /** Undefined without such events. */
  readonly frames: string | undefined;
}

/** A part of the events of a turn, of bounded size. */
export interface TurnFramePage extends TurnFrameSnapshot {
  /** More events are stored behind these batches. */
  readonly hasMore: boolean;
}

/** A batch beside its turn; a turn without one has nulls in its place. */
interface FrameRow {
  readonly hasEnded: boolean;
  readonly lastSequence: number;
  readonly first: number | null;
  readonly frames: string | null;
}

export interface TurnStoreDependencies {
  readonly fork: () => EntityManager;
  readonly box: SecretBox;
  readonly clock: Clock;
  /** How long a turn is kept that belongs to no thread; 0: none is taken. */
  readonly days: number;
  /** How long a thread is kept after its last turn was asked for. */
  readonly threadsDays: number;
}

/** Of what is sealed: a process that finds another does not touch the turn. */
const format = 1;

/** Sealed bytes of a page of events; one batch is read whatever its size. */
const maxPageBytes = 1024 * 1024;

/** Sealed bytes of the first events that are read for the outline of a turn. */
const maxOutlineBytes = 256 * 1024;

/** Batches of a page, so that looking at their sizes takes no longer for a turn of many. */
const maxPageBatches = 256;

const millisecondsPerDay = 24 * 60 * 60_000;

/**
 * Turns and their events in the database, sealed and per account. An id that PostgreSQL cannot
 * store is like any other that names nothing.
 */
export class TurnStore {
  readonly #dependencies: TurnStoreDependencies;
  readonly #seals: TurnContentSealer;
  /** For requests, which need one part of a turn. */
  readonly parts: TurnColumnReader;

  constructor(dependencies: TurnStoreDependencies) {
    this.parts = new TurnColumnReader(dependencies);
    this.#dependencies = dependencies;
    this.#seals = new TurnContentSealer(dependencies.box);
  }

  get isEnabled(): boolean {
    return this.#dependencies.days > 0;
  }

  /** A turn that nobody has run, and the events that it begins with, as they are stored. */
  async rowOf(
    { id, accountId, keyId, content, lastSequence }: StoredTurn,
    frames: readonly string[],
  ): Promise<NewTurnRow> {
    const { clock, days, threadsDays } = this.#dependencies;
    const now = clock.now();
    const keptDays = content.agent === undefined ? days : threadsDays;
    return {
      id,
      accountId,
      keyId,
      format,
      content: await this.#seals.content(id, content),
      frames: await this.sealFrames(id, 0, frames),
      lastSequence,
      createdAt: new Date(now),
      expiresAt: new Date(now + keptDays * millisecondsPerDay),
    };
  }

  /** Whether the account has such a turn, which has not ended. */
  async isRunning(accountId: string, id: string): Promise<boolean> {
    if (!canBeResourceId(id)) return false;
    const running = { id, accountId, endedAt: null, ...this.#alive() };
    const em = this.#dependencies.fork();
    return (await em.count(DurableTurnEntity, running).catch(refuse)) > 0;
  }

  /** By its id alone, for whoever runs it. */
  async load(id: string): Promise<StoredTurn | undefined> {
    const row = await this.#dependencies
      .fork()
      .findOne(DurableTurnEntity, { id, ...this.#alive() })
      .catch(refuse);
    return row === null ? undefined : this.#open(row);
  }

  /** Reads no more of a turn than a process that is short of time and memory can; undefined when the turn has ended or was deleted. */
  async outline(id: string): Promise<UnreadTurnEndState | undefined> {
    const [row] = await this.#dependencies
      .fork()
      .execute<{ lastSequence: number; seconds: number; frames: string | null }[]>(
        `select "turn"."last_sequence" as "lastSequence", "batch"."frames",
           extract(epoch from "turn"."created_at")::float8 as "seconds"
         from "turns" as "turn" left join "turn_batches" as "batch"
           on "batch"."turn_id" = "turn"."id" and "batch"."first_sequence" = 0
             and octet_length("batch"."frames") <= ${maxOutlineBytes}
         where "turn"."id" = ? and "turn"."ended_at" is null`,
        [id],
      );
    if (row === undefined) return undefined;
    const { lastSequence, seconds, frames: sealed } = row;
    const [frame] = sealed === null ? [] : this.#seals.openFrames(id, 0, sealed);
    const queued =
      frame === undefined ? undefined : asObject(parseSseFrameEvent(frame)["response"]);
    const unread = () =>
      buildResponsesQueuedResponse({ id, created: Math.floor(seconds), body: { model: "" } });
    return { lastSequence, queued: queued ?? unread() };
  }

  /** The answers that have begun turns, by `asked`. */
  async answered(
    accountId: string,
    asked: readonly string[],
  ): Promise<ReadonlyMap<string, ConsumedCallerToolReply>> {
    if (asked.length === 0) return new Map();
    const rows = await this.#dependencies
      .fork()
      .find(
        ConsumedCallerToolReplyEntity,
        { accountId, asked: { $in: [...asked] } },
        { disableIdentityMap: true },
      )
      .catch(refuse);
    return new Map(rows.map((row) => [row.asked, row]));
  }

  /** Sealed bytes of all events of a turn, without reading them. */
  async eventBytes(id: string): Promise<number> {
    const [row] = await this.#dependencies.fork().execute<{ bytes: number }[]>(
      `select coalesce(sum(octet_length("frames")), 0)::float8 as "bytes"
       from "turn_batches" where "turn_id" = ?`,
      [id],
    );
    return row?.bytes ?? 0;
  }

  /** The first page of the events behind `after`, in one statement; undefined: there is no such turn. */
  async framesAfter(id: string, after: number): Promise<TurnFramePage | undefined> {
    const rows = await this.#dependencies
      .fork()
      .execute<FrameRow[]>(
        `select "turn"."ended_at" is not null as "hasEnded",
           "turn"."last_sequence" as "lastSequence", "batch"."first_sequence" as "first",
           "batch"."frames"
         from "turns" as "turn" left join lateral (
           select "next".*, row_number() over "told" as "place",
             sum(octet_length("frames")) over "told" as "bytes"
           from (
             select "first_sequence", "last_sequence", "frames" from "turn_batches"
             where "turn_id" = "turn"."id" and "last_sequence" > ?
             order by "last_sequence" limit ${maxPageBatches}
           ) as "next" window "told" as (order by "last_sequence")
         ) as "batch" on "batch"."place" = 1 or "batch"."bytes" <= ${maxPageBytes}
         where "turn"."id" = ? order by "batch"."first_sequence"`,
        [after, id],
      )
      .catch(refuse);
    const [row] = rows;
    if (row === undefined) return undefined;
    const batches = this.#openBatches(id, rows);
    const last = batches.at(-1);
    const hasMore = last !== undefined && getFrameBatchLastSequence(last) < row.lastSequence;
    return { hasEnded: row.hasEnded && !hasMore, batches, hasMore };
  }

  /** Asks for the end of a turn that runs, which its process hears at once; false: there is none that does. */
  async requestEnd(accountId: string, id: string): Promise<boolean> {
    const rows = await this.#dependencies
      .fork()
      .execute<object[]>(
        `with "asked" as (
           update "turns" set "cancelled_at" = coalesce("cancelled_at", ?)
           where "id" = ? and "account_id" = ? and "ended_at" is null returning "id"
         )
         select pg_notify('causeway_change',
           json_build_object('table', '${turnCancellationTopic}', 'id', "id", 'account_id', null)::text)
         from "asked"`,
        [new Date(this.#dependencies.clock.now()), id, accountId],
      )
      .catch(refuse);
    return rows.length > 0;
  }

  /** Which of these turns are to end: somebody asked for it, or they are no more. */
  async turnsToCancel(ids: readonly string[]): Promise<readonly string[]> {
    const rows = await this.#dependencies.fork().execute<{ id: string }[]>(
      `select "asked"."id" from json_array_elements_text(?::json) as "asked" ("id")
       left join "turns" on "turns"."id" = "asked"."id"
       where "turns"."id" is null or "turns"."cancelled_at" is not null`,
      [JSON.stringify(ids)],
    );
    return rows.map(({ id }) => id);
  }

  /** Seals the end of a turn with its last events, step by step. `items`: what an agent's adds to its thread. */
  async sealEnd(
    id: string,
    response: JsonObject,
    last: TurnFrameBatch,
    items?: readonly JsonObject[],
  ): Promise<SealedTurnEnd> {
    return {
      status: response["status"] as DurableTurn["status"],
      response: await this.#seals.end(id, { response, items }),
      first: last.first,
      lastSequence: getFrameBatchLastSequence(last),
      frames:
        last.frames.length === 0
          ? undefined
          : await this.#seals.frames(id, last.first, last.frames),
    };
  }

  /** Ends the turn inside a transaction, which can be repeated. Returns false if the turn was deleted. */
  async end(em: EntityManager, id: string, end: SealedTurnEnd): Promise<boolean> {
    const { status, response, lastSequence } = end;
    const count = await em.nativeUpdate(
      DurableTurnEntity,
      { id },
      {
        status,
        response,
        lastSequence,
        endedAt: new Date(this.#dependencies.clock.now()),
      },
    );
    if (count > 0) await this.#insertLastBatch(em, id, end);
    return count > 0;
  }

  async delete(accountId: string, id: string): Promise<boolean> {
    const count = await this.#dependencies
      .fork()
      .nativeDelete(DurableTurnEntity, { id, accountId, ...this.#alive() })
      .catch(refuse);
    return count > 0;
  }

  sealFrames(id: string, first: number, frames: readonly string[]): Promise<string> {
    return this.#seals.frames(id, first, frames);
  }

  /** What a step of a turn said or was told, for the notes of the turn. */
  sealStepRecord(id: string, step: string, note: object): string {
    return this.#seals.sealStepRecord(id, step, note);
  }

  openStepRecord(id: string, step: string, sealed: string): unknown {
    return this.#seals.openStepRecord(id, step, sealed);
  }

  async #insertLastBatch(
    em: EntityManager,
    turnId: string,
    { first, lastSequence, frames }: SealedTurnEnd,
  ): Promise<void> {
    if (frames === undefined) return;
    await em
      .createQueryBuilder(TurnEventBatchEntity)
      .insert({
        id: buildTurnEventBatchId(turnId, first),
        turn: turnId,
        firstSequence: first,
        lastSequence,
        frames,
      })
      .onConflict("id")
      .ignore()
      .execute();
  }

  #openBatches(id: string, rows: readonly FrameRow[]): readonly TurnFrameBatch[] {
    return rows.flatMap(({ first, frames: sealed }) => {
      if (first === null || sealed === null) return [];
      return [{ first, frames: this.#seals.openFrames(id, first, sealed) }];
    });
  }

  #alive() {
    const now = new Date(this.#dependencies.clock.now());
    return { $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] };
  }

  #open(row: DurableTurn): StoredTurn {
    const { id, accountId, keyId, status, lastSequence, cancelledAt } = row;
    assertStoredTurnFormat(row);
    const content = this.#seals.openContent(id, row.content);
    const end = row.response === null ? undefined : this.#seals.openEnd(id, row.response, content);
    return {
      id,
      accountId,
      keyId,
      status,
      lastSequence,
      content,
      ended: end?.response,
      items: end?.items,
      isCancelled: cancelledAt !== null,
    };
  }
}

/** Throws for a turn that another release has sealed. */
export function assertStoredTurnFormat(row: Pick<DurableTurn, "id" | "format">): void {
  if (row.format !== format) throw new Error(`turn ${row.id} was stored by another release`);
}

/** `sequence_number` of the last event of a batch. */
export function getFrameBatchLastSequence({ first, frames }: TurnFrameBatch): number {
  return first + frames.length - 1;
}

/** The routes answer 503 while the database is away. */
function refuse(error: unknown): never {
  throw toDatabaseUnavailableError(error) ?? error;
}
