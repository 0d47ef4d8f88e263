import type { EntityManager } from "@mikro-orm/postgresql";
import { recordAudit, type AuditActor } from "../domain/audit/audit.ts";
import { rejectUndialableRequestUrl } from "../platform/dial/check-address.ts";
import {
  assertExtraHeaders,
  restoreRedactedHeaders,
  type ExtraHeaders,
} from "../platform/endpoint/header-rules.ts";
import { requireAccountId } from "../platform/endpoint/require-account.ts";
import { newResourceId } from "../platform/ids.ts";
import {
  assertRoomForEndpoint,
  assertRoomForModels,
  dropModelsOverAccountLimit,
  lockAccountEndpointCreation,
} from "./endpoint-limits.ts";
import { buildUniqueEndpointSlug } from "./slug.ts";
import { buildUpstreamAuditDetails } from "./upstream-details.ts";
import {
  mergeProbeIntoUpstream,
  probeUpstreamRow,
  type CustomEndpointDependencies,
} from "./upstream-probe.ts";
import { CustomEndpointEntity, type CustomEndpoint } from "./upstream.entity.ts";
import type { UpstreamDialect } from "../domain/callable-endpoint.ts";

/** A new endpoint as the request describes it; lengths are checked. */
export interface NewCustomEndpoint {
  readonly label: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly dialect: UpstreamDialect | "auto";
  readonly headers: ExtraHeaders;
  readonly models: readonly string[];
}

/**
 * Registers an endpoint after probing it; a failed probe registers it as well.
 * Throws 400 for an address that policy refuses and for an endpoint beyond the limit (`base_url`),
 * for headers that the server sets itself (`headers.<name>`) and for models beyond the limit
 * (`models`), and 429 after too many probes. Nothing is saved then.
 */
export async function createUpstream(
  em: EntityManager,
  actor: AuditActor,
  input: NewCustomEndpoint,
  dependencies: CustomEndpointDependencies,
): Promise<CustomEndpoint> {
  assertExtraHeaders(input.headers, "headers");
  const headers = restoreRedactedHeaders(input.headers, {}, "headers");
  await rejectUndialableRequestUrl(dependencies.dialer, input.baseUrl, "base_url");
  const row = newRow(em, actor, { ...input, headers }, dependencies);
  const sent = row.models.length;
  await assertRoomForEndpoint(em, row.accountId);
  await dependencies.budget.take(row.accountId);
  const result = await probeUpstreamRow(row, dependencies);
  mergeProbeIntoUpstream(row, result, dependencies.clock.now());
  await em.transactional((tx) => insert(tx, actor, row, sent));
  return row;
}

function newRow(
  em: EntityManager,
  actor: AuditActor,
  input: NewCustomEndpoint,
  { secrets }: CustomEndpointDependencies,
): CustomEndpoint {
  const id = newResourceId("upstream", actor.at.getTime());
  const dialect = input.dialect === "auto" ? "dialect_chat" : input.dialect;
  return em.create(
    CustomEndpointEntity,
    {
      id,
      accountId: requireAccountId(actor.principal),
      slug: "",
      label: input.label,
      baseUrl: input.baseUrl,
      dialect,
      dialectUndecided: input.dialect === "auto",
      headers: secrets.sealHeaders(id, input.headers),
      apiKey: secrets.sealKey(id, input.apiKey),
      models: [...new Set(input.models)],
      modelNames: {},
      modelMeta: {},
      modelCreated: {},
      probe: null,
      dialRevision: 0,
      createdAt: actor.at,
      updatedAt: actor.at,
      deletedAt: null,
    },
    { persist: false },
  );
}

/** Equal labels at the same time get different slugs: the account's slugs are given one after the other. */
async function insert(
  em: EntityManager,
  actor: AuditActor,
  row: CustomEndpoint,
  sent: number,
): Promise<void> {
  const { accountId } = row;
  await lockAccountEndpointCreation(em, accountId);
  await assertRoomForEndpoint(em, accountId);
  await assertRoomForModels(em, row, sent);
  await dropModelsOverAccountLimit(em, row, sent);
  const live = await em.find(
    CustomEndpointEntity,
    { accountId, deletedAt: null },
    { fields: ["slug"], disableIdentityMap: true },
  );
  row.slug = buildUniqueEndpointSlug(row.label, new Set(live.map(({ slug }) => slug)));
  // A removed endpoint of that slug has been its cursor until now.
  await em.nativeDelete(CustomEndpointEntity, { accountId, slug: row.slug });
  em.persist(row);
  const after = buildUpstreamAuditDetails(row);
  recordAudit(em, actor, { accountId, type: "upstream.created", target: row.slug, after });
}
