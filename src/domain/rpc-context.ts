import type { HandlerContext } from "@connectrpc/connect";
import type { EntityManager } from "@mikro-orm/postgresql";
import type { Clock } from "../platform/clock.ts";
import { ApiError } from "../platform/errors.ts";
import type { SessionPrincipal } from "../platform/principal.ts";
import { entityManagerKey } from "../platform/request-context.ts";
import { readAuditActor, type AuditActor } from "./audit/audit.ts";

/** What every handler of this domain starts from. */
export interface RpcContext {
  readonly em: EntityManager;
  readonly actor: AuditActor;
}

/** A call of a signed-in person. */
export interface SessionRpcContext extends RpcContext {
  readonly session: SessionPrincipal;
}

/** The request's entity manager and who is calling, as the interceptors left them. */
export function readRpcContext(context: HandlerContext, clock: Clock): RpcContext {
  const em = context.values.get(entityManagerKey);
  if (em === undefined) throw new Error("no interceptor has set an entity manager");
  return { em, actor: readAuditActor(context, clock) };
}

/** The same for a method that only sessions may call. */
export function requireSessionRpcContext(context: HandlerContext, clock: Clock): SessionRpcContext {
  const call = readRpcContext(context, clock);
  const { principal } = call.actor;
  if (principal.kind !== "session") {
    throw new ApiError("insufficient_scope", "This operation needs a signed-in session.");
  }
  return { ...call, session: principal };
}
