import type { HandlerContext } from "@connectrpc/connect";
import type { EntityManager } from "@mikro-orm/postgresql";
import type { Clock } from "../../platform/clock.ts";
import { newResourceId } from "../../platform/ids.ts";
import { anonymousPrincipal, type Principal } from "../../platform/principal.ts";
import { principalKey, requestContextKey } from "../../platform/request-context.ts";
import {
  AuditLogEventEntity,
  type AuditActorKind,
  type AuditDetails,
} from "./audit-event.entity.ts";

/** Who changes something, from where, in which request and when. */
export interface AuditActor {
  readonly principal: Principal;
  /** Address of the caller; null: the server itself. */
  readonly address: string | null;
  readonly requestId: string | null;
  /** One time for the whole request, so that a change and its event agree. */
  readonly at: Date;
}

/** One change, as the audit log tells it. Neither side may hold a secret. */
export interface AuditRecord {
  /** User or team that the change concerns. */
  readonly accountId: string;
  /** Noun and past tense: `key.created`. */
  readonly type: string;
  /** Id of what was changed. */
  readonly target: string;
  /** The person, where no credential says it: whoever is just signing in. */
  readonly userId?: string | undefined;
  /** The changed fields as they were, in the spelling of the REST body. */
  readonly before?: AuditDetails | undefined;
  /** The changed fields as they are now. */
  readonly after?: AuditDetails | undefined;
}

/** The actor of a request, as the interceptors left it in the context. */
export function readAuditActor(context: Pick<HandlerContext, "values">, clock: Clock): AuditActor {
  const request = context.values.get(requestContextKey);
  return {
    principal: context.values.get(principalKey),
    address: request?.address ?? null,
    requestId: request?.requestId ?? null,
    at: new Date(clock.now()),
  };
}

/** What the server does by itself, at its first start for instance. */
export function createServerAuditLogActor(clock: Clock): AuditActor {
  return {
    principal: anonymousPrincipal,
    address: null,
    requestId: null,
    at: new Date(clock.now()),
  };
}

/**
 * Adds an event to the transaction of `em`, so that a change and its event are
 * committed together or not at all.
 */
export function recordAudit(em: EntityManager, actor: AuditActor, record: AuditRecord): void {
  const event = em.create(AuditLogEventEntity, {
    id: newResourceId("audit", actor.at.getTime()),
    accountId: record.accountId,
    type: record.type,
    at: actor.at,
    actorUserId: record.userId ?? userIdOf(actor.principal),
    actorKeyId: actor.principal.kind === "key" ? actor.principal.keyId : null,
    actorKind: record.userId === undefined ? actorKind(actor) : "user",
    address: actor.address,
    requestId: actor.requestId,
    target: record.target,
    before: record.before ?? null,
    after: record.after ?? null,
  });
  em.persist(event);
}

function actorKind({ principal, address }: AuditActor): AuditActorKind {
  switch (principal.kind) {
    case "session":
      return "user";
    case "anonymous":
      return address === null ? "server" : "nobody";
    default:
      return principal.kind;
  }
}

function userIdOf(principal: Principal): string | null {
  return "userId" in principal ? principal.userId : null;
}
