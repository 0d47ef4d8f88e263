import type {
  EntityManager,
  EntityName,
  FilterQuery,
  Loaded,
  QueryOrderMap,
} from "@mikro-orm/postgresql";
import { invalidRequestError, type ApiError } from "./errors.ts";

const defaultLimit = 20;
const maxLimit = 100;

/** The paging fields of a list request as they arrive, checked by nobody yet. */
export interface PageParameters {
  readonly limit?: number | undefined;
  readonly afterId?: string | undefined;
  readonly beforeId?: string | undefined;
}

/** A checked page request: forwards after a cursor, or backwards before one. */
export interface PageRequest {
  /** 1 to 100. */
  readonly limit: number;
  readonly direction: "after" | "before";
  /** Id that the page starts next to; undefined: the start of the list. */
  readonly cursor: string | undefined;
}

/** Rows in list order. `hasMore` speaks of the direction asked. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** The envelope of a list; without rows both ids are undefined. */
export interface ListEnvelope<Item> {
  readonly object: "list";
  readonly data: Item[];
  readonly hasMore: boolean;
  readonly firstId: string | undefined;
  readonly lastId: string | undefined;
}

/** What a list over a table consists of. Rows are mostly removed softly, so that their ids stay cursors. */
export interface PagedEntityListQuery<Entity extends object> {
  /** Rows that are in the list or ever were: each of their ids is a cursor. */
  readonly everListedFilter: FilterQuery<Entity>;
  /** Those of them that are shown now. Absent: all. */
  readonly listed?: FilterQuery<Entity>;
  /** A total order: the last column is unique. */
  readonly orderBy: QueryOrderMap<Entity>;
  /** The rows that have an id as their cursor id. */
  readonly byId: (id: string) => FilterQuery<Entity>;
  /**
   * Where a row stood that was removed for good: its place by `orderBy`. Undefined: the
   * id was never in the list. Absent: rows are removed softly.
   */
  readonly positionOfRemoved?: (id: string) => Partial<Entity> | undefined;
  /** References whose rows are read in the same statement. */
  readonly populate?: readonly (keyof Entity & string)[];
  /** Columns that are read, those of `orderBy` among them. Absent: all. */
  readonly fields?: readonly (keyof Entity & string)[];
}

/**
 * Checks the paging fields of a request. Throws 400 with the field as `param`
 * when `limit` is not 1 to 100 or when both cursors are sent. `unasked` is the
 * number of rows for a request that has none of the fields, where the whole list is
 * promised.
 */
export function readPageRequest(parameters: PageParameters, unasked = defaultLimit): PageRequest {
  const { limit = defaultLimit, afterId, beforeId } = parameters;
  const isUnasked = parameters.limit === undefined && (afterId ?? beforeId) === undefined;
  if (isUnasked) return { limit: unasked, direction: "after", cursor: undefined };
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw invalidRequestError("limit", `\`limit\` must be an integer from 1 to ${maxLimit}.`);
  }
  if (afterId !== undefined && beforeId !== undefined) {
    throw invalidRequestError("before_id", "Send either `after_id` or `before_id`, not both.");
  }
  if (beforeId !== undefined) return { limit, direction: "before", cursor: beforeId };
  return { limit, direction: "after", cursor: afterId };
}

/**
 * Reads one page of a table. A cursor that names a removed row still works; an
 * id that was never in the list is refused with 400 and the cursor's name.
 */
export async function findPage<Entity extends object>(
  em: EntityManager,
  entity: EntityName<Entity>,
  request: PageRequest,
  list: PagedEntityListQuery<Entity>,
): Promise<Page<Loaded<Entity>>> {
  const anchor = await findAnchor(em, entity, request, list);
  const page = await em.findByCursor(entity, {
    where: both(list.everListedFilter, list.listed),
    orderBy: list.orderBy,
    includeCount: false,
    ...(request.direction === "after" ? { first: request.limit } : { last: request.limit }),
    ...(anchor === undefined ? {} : { [request.direction]: anchor }),
    // The paths of an entity are not known from a type parameter.
    ...(list.populate !== undefined && { populate: list.populate as never }),
    ...(list.fields !== undefined && { fields: list.fields as never }),
  });
  const hasMore = request.direction === "after" ? page.hasNextPage : page.hasPrevPage;
  return { rows: page.items, hasMore };
}

/** One page of a list that is whole in memory, with the same rules as `findPage`. */
export function paginateArray<Row>(
  request: PageRequest,
  rows: readonly Row[],
  idOf: (row: Row) => string,
): Page<Row> {
  const position =
    request.cursor === undefined ? -1 : rows.findIndex((row) => idOf(row) === request.cursor);
  if (request.cursor !== undefined && position < 0) throw unknownCursorError(request);
  if (request.direction === "after") {
    const end = position + 1 + request.limit;
    return { rows: rows.slice(position + 1, end), hasMore: end < rows.length };
  }
  const start = Math.max(0, position - request.limit);
  return { rows: rows.slice(start, position), hasMore: start > 0 };
}

/** Puts a page into the envelope; `idOf` gives the id that clients page with. */
export function toListEnvelope<Row, Item>(
  page: Page<Row>,
  toItem: (row: Row) => Item,
  idOf: (row: Row) => string,
): ListEnvelope<Item> {
  const first = page.rows[0];
  const last = page.rows.at(-1);
  return {
    object: "list",
    data: page.rows.map(toItem),
    hasMore: page.hasMore,
    firstId: first === undefined ? undefined : idOf(first),
    lastId: last === undefined ? undefined : idOf(last),
  };
}

async function findAnchor<Entity extends object>(
  em: EntityManager,
  entity: EntityName<Entity>,
  request: PageRequest,
  list: PagedEntityListQuery<Entity>,
): Promise<Loaded<Entity> | Partial<Entity> | undefined> {
  if (request.cursor === undefined) return undefined;
  const row = await em.findOne(entity, both(list.everListedFilter, list.byId(request.cursor)));
  const anchor = row ?? list.positionOfRemoved?.(request.cursor);
  if (anchor === undefined) throw unknownCursorError(request);
  return anchor;
}

function both<Entity extends object>(
  left: FilterQuery<Entity>,
  right: FilterQuery<Entity> | undefined,
): FilterQuery<Entity> {
  return right === undefined ? left : ({ $and: [left, right] } as FilterQuery<Entity>);
}

/** The refusal of a cursor that never was in the list. */
export function unknownCursorError(request: PageRequest): ApiError {
  const param = `${request.direction}_id`;
  return invalidRequestError(param, `\`${param}\` must be the id of an item of this list.`);
}
