import type { EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import { BatchLog } from "../../platform/database/batch-log.ts";
import { newId } from "../../platform/ids.ts";
import { TaskContextSchema, type TaskContext } from "./task-context.entity.ts";
import { dayOf } from "./task-contexts.ts";

/** What a call said. */
export type NewTaskContext = Pick<TaskContext, "text" | "tool" | "ecosystem">;

export interface TaskContextLogDependencies {
  readonly fork: () => EntityManager;
  readonly clock: Clock;
  readonly log: Logger;
}

/** While the database is away no more than these are kept; callers are not made to wait for it. */
const waitingAtMost = 2000;
/** Rows of one statement. */
const rowsAtOnce = 200;

/** Collects what callers said and writes it many in one statement, off the path of the call. */
export class TaskContextLog {
  readonly #clock: Clock;
  readonly #rows: BatchLog<TaskContext>;

  constructor({ fork, clock, log }: TaskContextLogDependencies) {
    this.#clock = clock;
    const write = async (rows: readonly TaskContext[]): Promise<void> => {
      await fork().upsertMany(TaskContextSchema, [...rows]);
    };
    this.#rows = new BatchLog({ write, log, what: "task contexts", rowsAtOnce, waitingAtMost });
  }

  /** Notes it; never throws. The id is of the beginning of the day, so that it tells no more than the day. */
  note(context: NewTaskContext): void {
    const day = dayOf(this.#clock.now());
    this.#rows.note({ id: newId("context", Date.parse(day)), ...context, day });
  }

  /** Writes what is pending now; resolves when it is written or has failed. */
  flush(): Promise<void> {
    return this.#rows.flush();
  }
}
