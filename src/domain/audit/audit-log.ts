import type { EntityManager, FilterQuery } from "@mikro-orm/postgresql";
import { findPage, type Page, type PageRequest } from "../../platform/pagination.ts";
import { AuditLogEventEntity, type AuditLogEvent } from "./audit-event.entity.ts";

/** A page of the events of one account, or without one of all accounts, oldest first. */
export function listAuditEvents(
  em: EntityManager,
  accountId: string | undefined,
  request: PageRequest,
): Promise<Page<AuditLogEvent>> {
  const everListed: FilterQuery<AuditLogEvent> = accountId === undefined ? {} : { accountId };
  return findPage(em, AuditLogEventEntity, request, {
    everListedFilter: everListed,
    orderBy: { at: "asc", id: "asc" },
    byId: (id) => ({ id }),
  });
}
