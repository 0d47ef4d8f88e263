import { createHash, randomUUID } from "node:crypto";
import type { EntityManager } from "@mikro-orm/postgresql";
import type { Clock } from "../platform/clock.ts";
import type { SealedValueBinding, SecretBox } from "../platform/crypto/secret-box.ts";
import { toDatabaseUnavailableError } from "../platform/database/database-unavailable.ts";
import type {
  IdempotencyAttemptHandle,
  IdempotencyState,
  IdempotentRequest,
} from "../platform/idempotency.ts";
import { IdempotencyRecordEntity, type IdempotencyRecord } from "./idempotency-record.entity.ts";

const retentionMs = 24 * 60 * 60_000;
/** An attempt that has not ended by then belongs to a process that died. */
const attemptLeaseMs = 3 * 60_000;

export interface IdempotencyStoreDependencies {
  readonly fork: () => EntityManager;
  readonly box: SecretBox;
  readonly clock: Clock;
}

/**
 * Remembers uses of `Idempotency-Key` for 24 hours. Of parallel uses one starts: the row is
 * claimed by the insert itself.
 */
export class IdempotencyStore {
  readonly #dependencies: IdempotencyStoreDependencies;

  constructor(dependencies: IdempotencyStoreDependencies) {
    this.#dependencies = dependencies;
  }

  /** Starts an attempt, or says what became of an earlier one. */
  async begin(use: IdempotentRequest): Promise<IdempotencyState> {
    const id = recordId(use);
    const attempt = randomUUID();
    try {
      if (await this.#claim(id, attempt, use)) {
        return { kind: "started", attempt: this.#attempt(id, attempt) };
      }
      const record = await this.#dependencies.fork().findOne(IdempotencyRecordEntity, { id });
      return this.#stateOf(record, use);
    } catch (error) {
      throw toDatabaseUnavailableError(error) ?? error;
    }
  }

  /** Inserts the record, or takes over one that is out of date or whose attempt died. */
  async #claim(id: string, attempt: string, use: IdempotentRequest): Promise<boolean> {
    const now = this.#dependencies.clock.now();
    const [claimed] = await this.#dependencies.fork().execute(
      `insert into idempotency_records (id, account_id, body_hash, attempt, lease_until, expires_at)
       values (?, ?, ?, ?, ?, ?)
       on conflict (id) do update set body_hash = excluded.body_hash, attempt = excluded.attempt,
         lease_until = excluded.lease_until, response = null, expires_at = excluded.expires_at
       where idempotency_records.expires_at <= ?
         or (idempotency_records.lease_until <= ? and idempotency_records.body_hash = excluded.body_hash)
       returning id`,
      [
        id,
        use.accountId,
        use.bodyHash,
        attempt,
        new Date(now + attemptLeaseMs),
        new Date(now + retentionMs),
        new Date(now),
        new Date(now),
      ],
    );
    return claimed !== undefined;
  }

  #stateOf(record: IdempotencyRecord | null, use: IdempotentRequest): IdempotencyState {
    // Abandoned between the claim and this read: the caller may repeat it at once.
    if (record === null) return { kind: "running" };
    if (record.bodyHash !== use.bodyHash) return { kind: "other_body" };
    if (record.response === null) return { kind: "running" };
    const response = this.#dependencies.box.open(record.response, bindingOf(record.id));
    return { kind: "completed", response: Buffer.from(response, "base64") };
  }

  #attempt(id: string, attempt: string): IdempotencyAttemptHandle {
    const { fork, box } = this.#dependencies;
    return {
      complete: async (response) => {
        const sealed = box.seal(Buffer.from(response).toString("base64"), bindingOf(id));
        const done = { response: sealed, leaseUntil: null };
        await fork().nativeUpdate(IdempotencyRecordEntity, { id, attempt }, done);
      },
      abandon: async () => {
        await fork().nativeDelete(IdempotencyRecordEntity, { id, attempt });
      },
    };
  }
}

function recordId({ accountId, route, key }: IdempotentRequest): string {
  const text = JSON.stringify([accountId, route, key]);
  return createHash("sha256").update(text).digest("base64url");
}

function bindingOf(id: string): SealedValueBinding {
  return { table: "idempotency_records", row: id, column: "response" };
}
