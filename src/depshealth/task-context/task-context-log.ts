import type { EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import { BatchWriter } from "../../platform/database/batch-writer.ts";
import { newId } from "../../platform/ids.ts";
import { TaskContextEntity, type TaskContext } from "./task-context.entity.ts";
import { toTaskContextDay } from "./task-contexts.ts";

/** What a call said. */
export type NewTaskContext = Pick<TaskContext, "text" | "tool" | "ecosystem">;

export interface TaskContextLogDependencies {
  readonly fork: () => EntityManager;
  readonly clock: Clock;
  readonly log: Logger;
}

/** While the database is away no more than these are kept; callers are not made to wait for it. */
const maxPending = 2000;
/** Rows of one statement. */
const batchSize = 200;

/** Collects what callers said and writes it many in one statement, off the path of the call. */
export class TaskContextLog {
  readonly #clock: Clock;
  readonly #rows: BatchWriter<TaskContext>;

  constructor({ fork, clock, log }: TaskContextLogDependencies) {
    this.#clock = clock;
    const write = async (rows: readonly TaskContext[]): Promise<void> => {
      await fork().upsertMany(TaskContextEntity, [...rows]);
    };
    this.#rows = new BatchWriter({
      write,
      log,
      label: "task contexts",
      batchSize,
      maxPending,
    });
  }

  /** Notes it; never throws. The id is of the beginning of the day, so that it tells no more than the day. */
  note(context: NewTaskContext): void {
    const day = toTaskContextDay(this.#clock.now());
    this.#rows.add({ id: newId("context", Date.parse(day)), ...context, day });
  }

  /** Writes what is pending now; resolves when it is written or has failed. */
  flush(): Promise<void> {
    return this.#rows.flush();
  }
}
