import { randomUUID } from "node:crypto";
import { raw, type EntityManager } from "@mikro-orm/postgresql";
import type { BackgroundTasks } from "../platform/background-tasks.ts";
import { takeAdvisoryLock } from "../platform/database/advisory-lock.ts";
import { ApiError } from "../platform/errors.ts";
import { KeyedConcurrencyLimiter } from "../platform/keyed-limiter.ts";
import type { Principal } from "../platform/principal.ts";
import { OpenStreamEntity } from "./open-stream.entity.ts";

/** Streams of one method that a caller key, or a session, may have open at a time, at all processes, as a rule. */
export const maxOpenStreamsPerCredential = 16;

/** What is left of a process that died counts for this long. */
const leaseSeconds = 30;
const renewMs = 10_000;

export interface OpenStreamLimiterDependencies {
  readonly fork: () => EntityManager;
  readonly background: Pick<BackgroundTasks, "run">;
}

/** Counts the open streams of each credential over all processes, in the database. */
export class OpenStreamLimiter {
  readonly #dependencies: OpenStreamLimiterDependencies;
  /** Those of this process. */
  readonly #ids = new Set<string>();
  /** An account has thousands of streams with all its keys, which it may open at once. */
  readonly #openings = new KeyedConcurrencyLimiter(2);
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: OpenStreamLimiterDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Counts one more until the function that is returned is called. Rejects with 429
   * `rate_limited` when the credential has `most`.
   */
  async open(
    principal: Principal,
    procedure: string,
    most = maxOpenStreamsPerCredential,
  ): Promise<() => void> {
    const id = randomUUID();
    const credentialId = credentialIdOf(principal);
    const accountId = "accountId" in principal ? principal.accountId : credentialId;
    const isOpen = await this.#openings.run(accountId, () =>
      this.#insert(id, credentialId, procedure, most),
    );
    if (!isOpen) throw tooManyOpenError(principal, most);
    this.#ids.add(id);
    this.#timer ??= setInterval(() => this.#inBackground(() => this.#renew()), renewMs).unref();
    return () => this.#close(id);
  }

  /** Of parallel openings of one credential, each sees those before it. */
  #insert(id: string, credentialId: string, procedure: string, most: number): Promise<boolean> {
    return this.#dependencies.fork().transactional(async (em) => {
      await takeAdvisoryLock(em, `open streams of ${credentialId}`);
      const [row] = await em.execute(
        `insert into open_streams (id, credential_id, procedure, lease_until)
         select ?, ?, ?, clock_timestamp() + make_interval(secs => ?)
         where (select count(*) from open_streams
           where credential_id = ? and procedure = ? and lease_until > clock_timestamp()) < ?
         returning id`,
        [id, credentialId, procedure, leaseSeconds, credentialId, procedure, most],
      );
      return row !== undefined;
    });
  }

  async #renew(): Promise<void> {
    const open = { id: { $in: [...this.#ids] } };
    const leaseUntil = raw("clock_timestamp() + make_interval(secs => ?)", [leaseSeconds]);
    await this.#dependencies.fork().nativeUpdate(OpenStreamEntity, open, { leaseUntil });
  }

  #close(id: string): void {
    if (!this.#ids.delete(id)) return;
    if (this.#ids.size === 0) this.#rest();
    this.#inBackground(async () => {
      await this.#dependencies.fork().nativeDelete(OpenStreamEntity, { id });
    });
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #inBackground(task: () => Promise<void>): void {
    void this.#dependencies.background.run("counting open streams", task);
  }
}

function credentialIdOf(principal: Principal): string {
  switch (principal.kind) {
    case "key":
      return principal.keyId;
    case "session":
      return principal.sessionId;
    default:
      return principal.kind;
  }
}

function tooManyOpenError({ kind }: Principal, most: number): ApiError {
  return new ApiError(
    "rate_limited",
    `This ${kind} has ${most.toString()} streams of this operation open, which is the most. ` +
      "Close one, or share one stream among those who listen.",
    { retryAfterSeconds: 1 },
  );
}
