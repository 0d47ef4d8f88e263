import {
  LockMode,
  UniqueConstraintViolationException,
  type EntityManager,
} from "@mikro-orm/postgresql";
import { ApiError, notFoundError } from "../platform/errors.ts";
import { newResourceId } from "../platform/ids.ts";
import { findPage, type Page, type PageRequest } from "../platform/pagination.ts";
import { recordAudit, type AuditActor } from "../domain/audit/audit.ts";
import { CallerKeyEntity } from "./caller-key.entity.ts";
import { parseEmailAddress, type ParsedEmailAddress } from "./email-address.ts";
import { parseDisplayName } from "../domain/check-name.ts";
import { revokeUserSessions } from "./sessions.ts";
import type { TeamMembershipLookup } from "./team-membership.ts";
import { UserEntity, type User } from "./user.entity.ts";

/** Removes what another domain keeps of an account that ends at a time, in the transaction of `em`. */
export type AccountDataEraser = (em: EntityManager, accountId: string, at: Date) => Promise<void>;

/** What deleting a user needs of other domains. */
export interface DeleteUserDependencies {
  readonly teams: TeamMembershipLookup;
  /** One per domain that keeps rows of accounts. */
  readonly erase?: readonly AccountDataEraser[] | undefined;
}

/** A user to be made. */
export interface NewUser {
  readonly email: string;
  readonly name?: string | undefined;
}

/**
 * Makes a user. Throws 400 with `param` for a bad address or name, and 409
 * `conflict` when the address has a user already.
 */
export async function createUser(
  em: EntityManager,
  actor: AuditActor,
  input: NewUser,
): Promise<User> {
  const email = parseEmailAddress(input.email);
  const name = input.name === undefined ? null : parseDisplayName(input.name);
  try {
    return await em.transactional((tx) => Promise.resolve(insertUser(tx, actor, email, name)));
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    throw new ApiError("conflict", "A user with this e-mail address exists already.");
  }
}

/** Adds a user and its event to the transaction of `em`. */
export function insertUser(
  em: EntityManager,
  actor: AuditActor,
  email: ParsedEmailAddress,
  name: string | null,
): User {
  const user = em.create(UserEntity, {
    id: newResourceId("user", actor.at.getTime()),
    email: email.original,
    emailNormalised: email.normalized,
    name,
    createdAt: actor.at,
    disabledAt: null,
    deletedAt: null,
  });
  em.persist(user);
  recordAudit(em, actor, { accountId: user.id, type: "user.created", target: user.id });
  return user;
}

/** A page of the users, disabled ones included, oldest first. */
export function listUsers(em: EntityManager, request: PageRequest): Promise<Page<User>> {
  return findPage(em, UserEntity, request, {
    everListedFilter: {},
    listed: { deletedAt: null },
    orderBy: { createdAt: "asc", id: "asc" },
    byId: (id) => ({ id }),
  });
}

/**
 * A user that is not deleted, locked until the transaction of `em` ends if that
 * is asked for. Throws 404 `not_found` otherwise.
 */
export async function getUser(
  em: EntityManager,
  userId: string,
  lockMode: LockMode = LockMode.NONE,
): Promise<User> {
  const user = await em.findOne(UserEntity, { id: userId, deletedAt: null }, { lockMode });
  if (user === null) throw notFoundError("user", "server");
  return user;
}

/** The user of a normalised address that is not deleted. */
export async function findUserByEmail(
  em: EntityManager,
  emailNormalised: string,
): Promise<User | undefined> {
  return (await em.findOne(UserEntity, { emailNormalised, deletedAt: null })) ?? undefined;
}

/**
 * Disables a user, whose keys are refused from now on and whose sessions end,
 * or enables it again; its keys then work again. Throws 409 `last_owner` when
 * a team would be left without an owner.
 */
export function setUserDisabled(
  em: EntityManager,
  actor: AuditActor,
  userId: string,
  disabled: boolean,
  teams: TeamMembershipLookup,
): Promise<User> {
  return em.transactional(async (tx) => {
    const user = await getUser(tx, userId, LockMode.PESSIMISTIC_WRITE);
    if ((user.disabledAt !== null) === disabled) return user;
    if (disabled) await teams.assertNotLastOwner(tx, userId);
    user.disabledAt = disabled ? actor.at : null;
    if (disabled) await revokeUserSessions(tx, userId, actor.at);
    const type = disabled ? "user.disabled" : "user.enabled";
    recordAudit(tx, actor, { accountId: userId, type, target: userId });
    return user;
  });
}

/**
 * Deletes a user: sessions end, keys are revoked, memberships end, what the
 * user's own account held in other domains goes, address and name are erased.
 * The row stays, because audit events and cursors name it.
 */
export function deleteUser(
  em: EntityManager,
  actor: AuditActor,
  userId: string,
  { teams, erase = [] }: DeleteUserDependencies,
): Promise<void> {
  return em.transactional(async (tx) => {
    const user = await getUser(tx, userId, LockMode.PESSIMISTIC_WRITE);
    await teams.assertNotLastOwner(tx, userId);
    await teams.leaveAll(tx, actor, userId);
    await revokeUserSessions(tx, userId, actor.at);
    await tx.nativeUpdate(
      CallerKeyEntity,
      { user: userId, revokedAt: null },
      { revokedAt: actor.at },
    );
    for (const eraseAccount of erase) await eraseAccount(tx, userId, actor.at);
    Object.assign(user, { deletedAt: actor.at, email: "", emailNormalised: "", name: null });
    recordAudit(tx, actor, { accountId: userId, type: "user.deleted", target: userId });
  });
}
