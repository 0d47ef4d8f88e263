import type { EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import { TaskContextSchema, type TaskContext } from "./task-context.entity.ts";
import { dayOf } from "./task-contexts.ts";

/** What a call said. */
export type NewTaskContext = Pick<TaskContext, "text" | "tool" | "ecosystem">;

export interface TaskContextLogParts {
  readonly fork: () => EntityManager;
  readonly clock: Clock;
  readonly log: Logger;
}

const flushDelayMs = 500;
/** While the database is away no more than these are kept; callers are not made to wait for it. */
const mostPending = 2000;
/** Rows of one statement. */
const batchSize = 200;

/**
 * Collects what callers said and writes it many in one statement, off the path of
 * the call. A failed write is repeated with the next.
 */
export class TaskContextLog {
  readonly #parts: TaskContextLogParts;
  #pending: TaskContext[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: TaskContextLogParts) {
    this.#parts = parts;
  }

  /** Notes it; never throws. The id is of the beginning of the day, so that it tells no more than the day. */
  note(context: NewTaskContext): void {
    if (this.#pending.length >= mostPending) return;
    const day = dayOf(this.#parts.clock.now());
    this.#pending.push({ id: newId("context", Date.parse(day)), ...context, day });
    this.#timer ??= setTimeout(() => void this.flush(), flushDelayMs).unref();
  }

  /** Writes what is pending now; resolves when it is written or has failed. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const rows = this.#pending;
    this.#pending = [];
    for (let start = 0; start < rows.length; start += batchSize) {
      const batch = rows.slice(start, start + batchSize);
      try {
        await this.#parts.fork().insertMany(TaskContextSchema, batch);
      } catch (error) {
        this.#parts.log.warn({ err: error }, "task contexts could not be written");
        this.#pending.push(...rows.slice(start, start + mostPending));
        return;
      }
    }
  }
}
