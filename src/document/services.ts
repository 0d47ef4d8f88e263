import type { EntityManager } from "@mikro-orm/postgresql";
import { recordAudit, type AuditActor } from "../domain/audit/audit.ts";
import type { AuditDetails } from "../domain/audit/audit-event.entity.ts";
import type { SecretBox } from "../platform/crypto/secret-box.ts";
import { takeAdvisoryLock } from "../platform/database/advisory-lock.ts";
import { notFoundError } from "../platform/errors.ts";
import { findPage, type Page, type PageRequest } from "../platform/pagination.ts";
import { LearnedServiceEntity, type LearnedService } from "./learned-service.entity.ts";
import type { ServiceDocumentRenderOptions } from "./render/service-document.ts";
import { openLearnedServiceState, sealLearnedServiceState } from "./service-state.ts";
import type { ServiceDocumentWorker } from "./worker/document-worker.ts";

/** What services are kept with. */
export interface LearnedServiceDependencies {
  readonly worker: ServiceDocumentWorker;
  readonly box: SecretBox;
}

/** Changes of services stand in the operator's audit log, and in no account's. */
const accountId = "operator";

/**
 * Learns a capture. Nothing is kept of one that is refused: it is read before what is
 * known is touched.
 */
export async function learnService(
  { worker, box }: LearnedServiceDependencies,
  em: EntityManager,
  actor: AuditActor,
  id: string,
  capture: Uint8Array,
): Promise<LearnedService> {
  const { learned } = await worker.run({ kind: "learn", capture });
  return em.transactional(async (tx) => {
    await lockService(tx, id);
    const found = await tx.findOne(LearnedServiceEntity, { id });
    const row = found ?? tx.create(LearnedServiceEntity, newService(id, actor));
    const captures = row.captures + 1;
    const known = row.state === null ? undefined : openLearnedServiceState(box, id, row.state);
    const frame = frameOf({ ...row, captures });
    const merged = await worker.run({ kind: "merge", known, learned, frame });
    const { templates: templatesCount, observations, firstDay = null, lastDay = null } = merged;
    const counted = { captures, observations, templatesCount, firstDay, lastDay };
    const state = sealLearnedServiceState(box, id, merged.state);
    Object.assign(row, { ...counted, state, updatedAt: actor.at, deletedAt: null });
    tx.persist(row);
    const after = { captures, observations, templates_count: templatesCount };
    record(tx, actor, "service.learned", id, { after });
    return row;
  });
}

function newService(id: string, actor: AuditActor) {
  return {
    id,
    title: null,
    baseUrl: null,
    state: null,
    captures: 0,
    observations: 0,
    firstDay: null,
    lastDay: null,
    templatesCount: 0,
    published: null,
    shipped: false,
    updatedAt: actor.at,
    deletedAt: null,
  };
}

/** How a document is published. */
export interface ServicePublicationOptions {
  readonly title: string;
  readonly baseUrl: string;
}

/** Publishes what is known now. What is learned later waits for the next time. Throws 404. */
export function publishLearnedService(
  tools: LearnedServiceDependencies,
  em: EntityManager,
  actor: AuditActor,
  id: string,
  shipment: ServicePublicationOptions,
): Promise<LearnedService> {
  return em.transactional(async (tx) => {
    const row = await lockedService(tx, id);
    const before = shipmentDetails(row);
    Object.assign(row, shipment);
    const { text, templates } = await renderLearnedServiceDocument(tools, row);
    Object.assign(row, {
      published: text,
      shipped: true,
      templatesCount: templates,
      updatedAt: actor.at,
    });
    record(tx, actor, "service.shipped", id, { before, after: shipmentDetails(row) });
    return row;
  });
}

/** Takes the document back; what was learned stays. Throws 404. */
export function unpublishService(
  em: EntityManager,
  actor: AuditActor,
  id: string,
): Promise<LearnedService> {
  return em.transactional(async (tx) => {
    const row = await lockedService(tx, id);
    if (!row.shipped) return row;
    Object.assign(row, { published: null, shipped: false, updatedAt: actor.at });
    record(tx, actor, "service.unshipped", id, {});
    return row;
  });
}

/** Forgets what was learned and published. Throws 404. */
export function deleteLearnedService(
  em: EntityManager,
  actor: AuditActor,
  id: string,
): Promise<void> {
  return em.transactional(async (tx) => {
    const row = await lockedService(tx, id);
    const before = shipmentDetails(row);
    Object.assign(row, { ...newService(id, actor), deletedAt: actor.at });
    record(tx, actor, "service.deleted", id, { before });
  });
}

/** One service. Throws 404. */
export async function getLearnedService(em: EntityManager, id: string): Promise<LearnedService> {
  const row = await em.findOne(LearnedServiceEntity, { id, deletedAt: null });
  if (row === null) throw notFoundError("service", "server");
  return row;
}

/** A page of the services, by id. */
export function listServicesLearnedFromTraffic(
  em: EntityManager,
  request: PageRequest,
): Promise<Page<LearnedService>> {
  return findPage(em, LearnedServiceEntity, request, {
    everListedFilter: {},
    listed: { deletedAt: null },
    orderBy: { id: "asc" },
    byId: (id) => ({ id }),
  });
}

/** The document as it would be shipped now. */
export async function renderLearnedServiceDocument(
  { worker, box }: LearnedServiceDependencies,
  row: LearnedService,
): Promise<{ readonly text: string; readonly templates: number }> {
  if (row.state === null) throw notFoundError("service", "server");
  const known = openLearnedServiceState(box, row.id, row.state);
  return worker.run({ kind: "render", known, frame: frameOf(row) });
}

function frameOf(
  row: Pick<LearnedService, "id" | "title" | "baseUrl" | "captures">,
): ServiceDocumentRenderOptions {
  const { id, title, baseUrl, captures } = row;
  return { title: title ?? id, baseUrl: baseUrl ?? undefined, captures };
}

async function lockedService(tx: EntityManager, id: string): Promise<LearnedService> {
  await lockService(tx, id);
  return getLearnedService(tx, id);
}

/** One change of a service at a time, also of one that is not there yet. */
function lockService(tx: EntityManager, id: string): Promise<void> {
  return takeAdvisoryLock(tx, `learned service ${id}`);
}

function shipmentDetails({ title, baseUrl, shipped }: LearnedService): AuditDetails {
  return { title, base_url: baseUrl, shipped };
}

function record(
  tx: EntityManager,
  actor: AuditActor,
  type: string,
  target: string,
  details: { readonly before?: AuditDetails; readonly after?: AuditDetails },
): void {
  recordAudit(tx, actor, { accountId, type, target, ...details });
}
