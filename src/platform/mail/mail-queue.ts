import type { EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import { BackgroundTasks } from "../background-tasks.ts";
import type { Clock } from "../clock.ts";
import type { SealedValueBinding, SecretBox } from "../crypto/secret-box.ts";
import { newResourceId } from "../ids.ts";
import { MailDeliveryError, type MailMessage, type MailTransport } from "./mail-transport.ts";
import { OutgoingMailEntity, type OutgoingMail } from "./outgoing-mail.entity.ts";

/** An attempt that has not ended by then belongs to a process that died. */
const attemptLeaseMs = 5 * 60_000;
const firstRetryMs = 30_000;
const maxRetryMs = 60 * 60_000;
const sweepIntervalMs = 10_000;
const sweepSize = 20;

export interface MailQueueDependencies {
  readonly fork: () => EntityManager;
  readonly box: SecretBox;
  readonly transport: MailTransport;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Whom a message is for and until when it is worth sending. */
export interface MailEnqueueOptions {
  /** User or team that it is sent for; null: nobody yet. */
  readonly accountId: string | null;
  readonly lifetimeMs: number;
}

/**
 * Mail that is promised with a change and sent after it: `enqueue` writes the
 * message in the caller's transaction, `deliver` makes the first attempt after
 * the commit, and the sweep repeats what failed, in whatever process. A message
 * goes out twice only if a process dies between the mail server's answer and
 * ours, and then with the same Message-ID.
 */
export class MailQueue {
  readonly #dependencies: MailQueueDependencies;
  readonly #background: BackgroundTasks;
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: MailQueueDependencies) {
    this.#dependencies = dependencies;
    this.#background = new BackgroundTasks(dependencies.log);
  }

  /** Adds a message to the transaction of `em`; the id is for `deliver`. */
  enqueue(
    em: EntityManager,
    message: MailMessage,
    { accountId, lifetimeMs }: MailEnqueueOptions,
  ): string {
    const now = this.#dependencies.clock.now();
    const id = newResourceId("mail", now);
    const content = this.#dependencies.box.seal(JSON.stringify(message), bindingOf(id));
    const mail = { id, accountId, state: "pending", content, attempts: 0 } as const;
    const times = {
      createdAt: new Date(now),
      dueAt: new Date(now),
      expiresAt: new Date(now + lifetimeMs),
    };
    em.persist(em.create(OutgoingMailEntity, { ...mail, ...times }));
    return id;
  }

  /** Makes one attempt if it is due. Resolves to whether the message left; never rejects. */
  async deliver(id: string): Promise<boolean> {
    let hasLeft = false;
    await this.#background.run(`delivery of message ${id}`, async () => {
      hasLeft = await this.#attempt(id);
    });
    return hasLeft;
  }

  /** Gives up a message that has not left, in the transaction of `em`. */
  async withdraw(em: EntityManager, id: string): Promise<void> {
    const given = { state: "failed", content: null } as const;
    await em.nativeUpdate(OutgoingMailEntity, { id, state: "pending" }, given);
  }

  /** Starts the sweep for messages whose next attempt is due. */
  start(): void {
    this.#timer ??= setInterval(() => void this.sweep(), sweepIntervalMs).unref();
  }

  /** Stops the sweep and waits for the attempts that run. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#background.waitForAll();
  }

  /** Attempts every message that is due now, oldest first. */
  async sweep(): Promise<void> {
    const { fork, clock, log } = this.#dependencies;
    try {
      const due = await fork().find(
        OutgoingMailEntity,
        { state: "pending", dueAt: { $lte: new Date(clock.now()) } },
        { fields: ["id"], orderBy: { dueAt: "asc" }, limit: sweepSize },
      );
      for (const { id } of due) await this.deliver(id);
    } catch (error) {
      log.debug({ err: error }, "mail sweep failed");
    }
  }

  async #attempt(id: string): Promise<boolean> {
    const mail = await this.#claim(id);
    if (mail === undefined || mail.content === null) return false;
    if (mail.expiresAt.getTime() <= this.#dependencies.clock.now()) {
      await this.#finish(id, "failed");
      return false;
    }
    try {
      const opened = this.#dependencies.box.open(mail.content, bindingOf(id));
      await this.#dependencies.transport.send(id, JSON.parse(opened) as MailMessage);
    } catch (error) {
      await this.#onFailure(mail, error);
      return false;
    }
    await this.#finish(id, "sent");
    return true;
  }

  /** Of several processes one gets the message; undefined for the others. */
  async #claim(id: string): Promise<OutgoingMail | undefined> {
    const em = this.#dependencies.fork();
    const now = this.#dependencies.clock.now();
    const claimed = await em.nativeUpdate(
      OutgoingMailEntity,
      { id, state: "pending", dueAt: { $lte: new Date(now) } },
      { dueAt: new Date(now + attemptLeaseMs) },
    );
    if (claimed === 0) return undefined;
    return (await em.findOne(OutgoingMailEntity, { id })) ?? undefined;
  }

  async #onFailure(mail: OutgoingMail, error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : "unknown failure";
    this.#dependencies.log.warn({ mail: mail.id, attempts: mail.attempts + 1 }, reason);
    if (error instanceof MailDeliveryError && error.permanent)
      return this.#finish(mail.id, "failed");
    const pause = Math.min(firstRetryMs * 2 ** mail.attempts, maxRetryMs);
    await this.#dependencies.fork().nativeUpdate(
      OutgoingMailEntity,
      { id: mail.id },
      {
        attempts: mail.attempts + 1,
        dueAt: new Date(this.#dependencies.clock.now() + pause),
      },
    );
  }

  /** The content has done its work and is erased. */
  async #finish(id: string, state: "sent" | "failed"): Promise<void> {
    const em = this.#dependencies.fork();
    await em.nativeUpdate(OutgoingMailEntity, { id }, { state, content: null });
  }
}

function bindingOf(id: string): SealedValueBinding {
  return { table: "outgoing_mails", row: id, column: "content" };
}
