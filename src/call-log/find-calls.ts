import type { EntityManager, FilterQuery } from "@mikro-orm/postgresql";
import type { TimeRange } from "../domain/time-range.ts";
import { resourceIdTimestamp } from "../platform/ids.ts";
import { findPage, type Page, type PageRequest } from "../platform/pagination.ts";
import { LoggedCallEntity, type LoggedCall } from "./call.entity.ts";
import { buildTagSearchKey } from "./tag-search-keys.ts";

/** Whose calls somebody may see. */
export interface CallLogScope {
  /** Undefined: every account's. */
  readonly accountId: string | undefined;
  /** Undefined: every key's. */
  readonly keyId: string | undefined;
}

/** Which of them are asked for; undefined: whichever. */
export interface CallLogFilters {
  /** When they ended. */
  readonly range: TimeRange;
  readonly model: string | undefined;
  readonly keyId: string | undefined;
  readonly status: number | undefined;
  readonly errorCode: string | undefined;
  /** `project:alpha`. */
  readonly tag: string | undefined;
}

/** A page of calls, the one that ended last first. `keptSince`: what ended before may be gone. */
export function findCallLogPage(
  em: EntityManager,
  scope: CallLogScope,
  filters: CallLogFilters,
  request: PageRequest,
  keptSince: number,
): Promise<Page<LoggedCall>> {
  return findPage(em, LoggedCallEntity, request, {
    everListedFilter: withoutUndefined(scope),
    listed: filterCalls(filters, scope),
    orderBy: { at: "desc", id: "desc" },
    byId: callById,
    positionOfRemoved: (id) => positionOfRemoved(id, keptSince),
  });
}

/** One call of these accounts, or of one key; null: there is none of this id. */
export function findLoggedCall(
  em: EntityManager,
  accountIds: readonly string[],
  keyId: string | undefined,
  id: string,
): Promise<LoggedCall | null> {
  const scope = withoutUndefined({ accountId: { $in: accountIds }, keyId });
  return em.findOne(LoggedCallEntity, { $and: [scope, callById(id)] });
}

/** Canonical id of the model that gave a response; undefined: no call is known that it came of. */
export async function findResponseModel(
  em: EntityManager,
  accountId: string,
  responseId: string,
): Promise<string | undefined> {
  const call = await em.findOne(LoggedCallEntity, { accountId, responseId });
  return call?.target ?? undefined;
}

function filterCalls(
  filters: CallLogFilters,
  { accountId }: CallLogScope,
): FilterQuery<LoggedCall> {
  const { range, tag, ...same } = filters;
  const tagged = tag === undefined ? undefined : { $contains: [buildTagSearchKey(tag, accountId)] };
  return { $and: [...filterByEnd(range), withoutUndefined({ tagged, ...same })] };
}

/** An end that nobody asked for would double the time in which a page is planned: of each day. */
function filterByEnd({ from, to }: TimeRange): FilterQuery<LoggedCall>[] {
  return [
    ...(from === undefined ? [] : [{ at: { $gte: from } }]),
    ...(to === undefined ? [] : [{ at: { $lt: to } }]),
  ];
}

/** Clocks are set back now and then: a call may seem to have ended before it began. */
const clockStepMs = 60 * 60_000;

/** In the days since its id was made, so that those before need no look. */
function callById(id: string): FilterQuery<LoggedCall> {
  return { id, at: { $gte: new Date((resourceIdTimestamp(id) ?? 0) - clockStepMs) } };
}

/** A day that is dropped takes its ids along, but they say when they were made. */
function positionOfRemoved(id: string, keptSince: number): Partial<LoggedCall> | undefined {
  const time = id.startsWith("call_") ? resourceIdTimestamp(id) : undefined;
  return time !== undefined && time < keptSince ? { id, at: new Date(time) } : undefined;
}

function withoutUndefined(where: object): FilterQuery<LoggedCall> {
  return Object.fromEntries(Object.entries(where).filter(([, value]) => value !== undefined));
}
