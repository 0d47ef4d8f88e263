import type { EntityManager, FilterQuery } from "@mikro-orm/postgresql";
import { findPage, type Page, type PageRequest } from "../../platform/pagination.ts";
import { CallerTaskContextEntity, type CallerTaskContext } from "./task-context.entity.ts";
import { toUtcDay } from "../utc-day.ts";

const dayMs = 86_400_000;
const retentionDays = 30;

/** Which of them are asked for; days are included. */
export interface TaskContextFilter {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly tool?: string | undefined;
}

/** A page of what is kept, the oldest day first; within a day there is no order. */
export function listCallerTaskContexts(
  em: EntityManager,
  filter: TaskContextFilter,
  request: PageRequest,
  now: number,
): Promise<Page<CallerTaskContext>> {
  return findPage(em, CallerTaskContextEntity, request, {
    everListedFilter: whereOf(filter, now),
    orderBy: { day: "asc", id: "asc" },
    byId: (id) => ({ id }),
  });
}

function whereOf(
  { from, to, tool }: TaskContextFilter,
  now: number,
): FilterQuery<CallerTaskContext> {
  const oldest = oldestDay(now);
  const first = from === undefined || from < oldest ? oldest : from;
  return {
    day: { $gte: first, ...(to !== undefined && { $lte: to }) },
    ...(tool !== undefined && { tool }),
  };
}

/** Deletes what is older than thirty days. */
export async function deleteOldTaskContexts(em: EntityManager, now: number): Promise<void> {
  await em.nativeDelete(CallerTaskContextEntity, { day: { $lt: oldestDay(now) } });
}

function oldestDay(now: number): string {
  return toUtcDay(now - retentionDays * dayMs);
}
