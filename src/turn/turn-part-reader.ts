import type { EntityManager } from "@mikro-orm/postgresql";
import { asObject, type JsonObject } from "../dialect/json.ts";
import type { Clock } from "../platform/clock.ts";
import type { SecretBox } from "../platform/crypto/secret-box.ts";
import {
  MemoryLimitedContentLoader,
  type MemoryAndAbortContext,
  type SealedRow,
} from "../platform/database/counted-loader.ts";
import { toDatabaseUnavailableError } from "../platform/database/database-unavailable.ts";
import { parseSseFrameEvent } from "./parse-frame.ts";
import { TurnContentSealer } from "./turn-encryption.ts";
import type { DurableTurn } from "./turn.entity.ts";

export interface TurnPartReaderDependencies {
  readonly fork: () => EntityManager;
  readonly box: SecretBox;
  readonly clock: Clock;
}

/** State of a turn, without its content. */
export interface TurnState {
  readonly status: DurableTurn["status"];
  readonly hasEnded: boolean;
  readonly isCancelled: boolean;
}

/** The response object of a turn as it stands. */
export interface TurnResponse extends TurnState {
  readonly response: JsonObject;
}

type PartRow = TurnState & SealedRow & { readonly isAgents: boolean };

/** Sealed text by part. The first events of a running turn have its response object. */
const sealedColumns = {
  state: `null::text`,
  response: `coalesce("turn"."response", "batch"."frames")`,
  content: `"turn"."content"`,
};

type TurnPart = keyof typeof sealedColumns;

/** Reads parts of turns for requests, each without the other columns. Large parts are counted. */
export class TurnColumnReader {
  readonly #dependencies: TurnPartReaderDependencies;
  readonly #seals: TurnContentSealer;
  readonly #loader = new MemoryLimitedContentLoader();

  constructor(dependencies: TurnPartReaderDependencies) {
    this.#dependencies = dependencies;
    this.#seals = new TurnContentSealer(dependencies.box);
  }

  /** Returns undefined if the account has no such turn. */
  findState(accountId: string, id: string): Promise<TurnState | undefined> {
    return this.#select("state", accountId, id, 0);
  }

  /** Returns undefined if the account has no such turn. Rejects with what `hold` throws. */
  async findResponse(
    accountId: string,
    id: string,
    context: MemoryAndAbortContext,
  ): Promise<TurnResponse | undefined> {
    const row = await this.#load("response", accountId, id, context);
    if (row === undefined) return undefined;
    const { status, hasEnded, isCancelled } = row;
    const response = this.#openResponse(id, row);
    const shown = hasEnded ? response : { ...response, status: isCancelled ? "cancelled" : status };
    return { response: shown, status, hasEnded, isCancelled };
  }

  /** Returns the items of its request; undefined if the account has no such turn. Rejects with what `hold` throws. */
  async findInput(
    accountId: string,
    id: string,
    context: MemoryAndAbortContext,
  ): Promise<readonly JsonObject[] | undefined> {
    const row = await this.#load("content", accountId, id, context);
    return row && this.#seals.openContent(id, row.sealed).input;
  }

  #openResponse(
    id: string,
    { hasEnded, isAgents, sealed }: PartRow & { readonly sealed: string },
  ): JsonObject {
    if (hasEnded) return this.#seals.openEndResponse(id, sealed, isAgents);
    const [frame] = this.#seals.openFrames(id, 0, sealed);
    const response =
      frame === undefined ? undefined : asObject(parseSseFrameEvent(frame)["response"]);
    if (response === undefined) throw new Error(`turn ${id} has no first event`);
    return response;
  }

  async #load(
    part: TurnPart,
    accountId: string,
    id: string,
    context: MemoryAndAbortContext,
  ): Promise<(PartRow & { readonly sealed: string }) | undefined> {
    const row = await this.#loader.load(accountId, context, (maxBytes) =>
      this.#select(part, accountId, id, maxBytes),
    );
    if (row === undefined) return undefined;
    if (row.sealed === null) throw new Error(`turn ${id} has no ${part}`);
    return { ...row, sealed: row.sealed };
  }

  async #select(
    part: TurnPart,
    accountId: string,
    id: string,
    maxBytes: number,
  ): Promise<PartRow | undefined> {
    const sealed = sealedColumns[part];
    const { fork, clock } = this.#dependencies;
    const [row] = await fork()
      .execute<PartRow[]>(
        `select "turn"."status", "turn"."ended_at" is not null as "hasEnded",
           "turn"."cancelled_at" is not null as "isCancelled",
           "turn"."thread_id" is not null as "isAgents",
           coalesce(octet_length(${sealed}), 0)::float8 as "bytes",
           case when octet_length(${sealed}) <= ? then ${sealed} end as "sealed"
         from "turns" as "turn" left join "turn_batches" as "batch"
           on "batch"."turn_id" = "turn"."id" and "batch"."first_sequence" = 0
             and "turn"."ended_at" is null
         where "turn"."id" = ? and "turn"."account_id" = ?
           and ("turn"."expires_at" is null or "turn"."expires_at" > ?)`,
        [maxBytes, id, accountId, new Date(clock.now())],
      )
      .catch(rejectUnavailable);
    return row;
  }
}

/** Turns the failure of the database into a 503. */
function rejectUnavailable(error: unknown): never {
  throw toDatabaseUnavailableError(error) ?? error;
}
