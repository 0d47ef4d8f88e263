import type { EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import { BatchWriter } from "../../platform/database/batch-writer.ts";
import { newResourceId } from "../../platform/ids.ts";
import { CallerTaskContextEntity, type CallerTaskContext } from "./task-context.entity.ts";
import { toUtcDay } from "../utc-day.ts";

/** What a call said. */
export type NewCallerTaskContext = Pick<CallerTaskContext, "text" | "tool" | "ecosystem">;

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
export class CallerTaskContextRecorder {
  readonly #clock: Clock;
  readonly #rows: BatchWriter<CallerTaskContext>;

  constructor({ fork, clock, log }: TaskContextLogDependencies) {
    this.#clock = clock;
    const write = async (rows: readonly CallerTaskContext[]): Promise<void> => {
      await fork().upsertMany(CallerTaskContextEntity, [...rows]);
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
  note(context: NewCallerTaskContext): void {
    const day = toUtcDay(this.#clock.now());
    this.#rows.add({ id: newResourceId("context", Date.parse(day)), ...context, day });
  }

  /** Writes what is pending now; resolves when it is written or has failed. */
  flush(): Promise<void> {
    return this.#rows.flush();
  }
}
