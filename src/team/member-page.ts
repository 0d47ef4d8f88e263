import type { EntityManager } from "@mikro-orm/postgresql";
import { notFoundError } from "../platform/errors.ts";
import { unknownCursorError, type Page, type PageRequest } from "../platform/pagination.ts";
import type { Principal } from "../platform/principal.ts";
import { resolveVisibleMemberships } from "./membership.ts";
import { TeamMemberEntity, type TeamMember } from "./team-member.entity.ts";

/** A statement and its parameters in order. */
export interface SqlStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

interface MemberRow {
  /** Null: the caller is not a member. */
  readonly caller_id: string | null;
  /** Null: nobody of that id ever was a member. */
  readonly cursor_id: string | null;
  /** Null: there is nobody on the page. */
  readonly user_id: string | null;
}

/**
 * A page of a team's live members in join order, in one statement: who asks, where
 * the cursor stands and the rows of the page. Teams may have many members, and
 * the statement reads no more of them than it gives. Throws 404 for whoever is
 * not a member, 400 for a cursor that never was one.
 */
export async function findTeamMemberPage(
  em: EntityManager,
  principal: Principal,
  teamId: string,
  request: PageRequest,
): Promise<Page<TeamMember>> {
  const callerId = membershipIn(principal, teamId);
  const { sql, parameters } = buildTeamMemberPageStatement(teamId, callerId, request);
  const rows = await em.execute<MemberRow[]>(sql, [...parameters]);
  const [first] = rows;
  if ((first?.caller_id ?? null) === null) throw notFoundError("team", "server");
  if (request.cursor !== undefined && first?.cursor_id === null) throw unknownCursorError(request);
  const members = rows
    .filter(({ user_id }) => user_id !== null)
    .map((row) => em.map(TeamMemberEntity, row));
  const hasMore = members.length > request.limit;
  // One row more was read, at the end that the page looks towards.
  if (hasMore && request.direction === "after") members.pop();
  if (hasMore && request.direction === "before") members.shift();
  return { rows: members, hasMore };
}

/** The statement of one page; the caller and the cursor are user ids. */
export function buildTeamMemberPageStatement(
  teamId: string,
  callerId: string,
  { direction, cursor, limit }: PageRequest,
): SqlStatement {
  const [beyond, order] = direction === "after" ? [">", "asc"] : ["<", "desc"];
  const isBeyond =
    cursor === undefined && direction === "after"
      ? ""
      : `and (member.joined_at, member.user_id) ${beyond} ("cursor".joined_at, "cursor".user_id)`;
  const sql = `
    select caller.user_id as caller_id, "cursor".user_id as cursor_id, page.*
    from (select 1) as asked
    left join lateral (
      select seat.user_id from team_members seat join teams team on team.id = seat.team_id
      where seat.team_id = ? and seat.user_id = ? and seat.left_at is null and team.deleted_at is null
    ) as caller on true
    left join lateral (
      select joined_at, user_id from team_members where team_id = ? and user_id = ?
    ) as "cursor" on true
    left join lateral (
      select member.* from team_members member
      where member.team_id = ? and member.left_at is null and caller.user_id is not null ${isBeyond}
      order by member.joined_at ${order}, member.user_id ${order} limit ?
    ) as page on true
    order by page.joined_at, page.user_id`;
  return { sql, parameters: [teamId, callerId, teamId, cursor ?? "", teamId, limit + 1] };
}

/** The caller's seat in a team, if there is one; a team key has one in its own team alone. */
function membershipIn(principal: Principal, teamId: string): string {
  const seats = resolveVisibleMemberships(principal);
  const isElsewhere = principal.kind === "key" && (principal.teamId ?? teamId) !== teamId;
  if (seats === undefined || isElsewhere) throw notFoundError("team", "server");
  return seats.userId;
}
