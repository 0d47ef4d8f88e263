import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";
import { upstreamDialects, type ModelTokenLimits } from "../domain/callable-endpoint.ts";
import type { EndpointProbeReport } from "../platform/endpoint/probe-report.ts";

/**
 * A custom endpoint of an account. A removed one keeps its row without its
 * secrets, as a cursor, until its slug is given again.
 */
export const CustomEndpointEntity = defineEntity({
  name: "Upstream",
  tableName: "upstreams",
  properties: {
    id: p.text().primary(),
    accountId: p.text(),
    slug: p.text(),
    label: p.text(),
    /** As it was sent; never changes, because the stored key would follow it. */
    baseUrl: p.text(),
    dialect: p.enum(upstreamDialects),
    /** `auto`, and no probe could tell yet: the next one tries. */
    dialectUndecided: p.boolean(),
    /** Sealed JSON object; null: none. */
    headers: p.text().strictNullable(),
    /** Sealed; null: removed. */
    apiKey: p.text().strictNullable(),
    models: p.array(),
    modelNames: p.json<Readonly<Record<string, string>>>(),
    modelMeta: p.json<Readonly<Record<string, ModelTokenLimits>>>(),
    /** When models were made, as the endpoint said: Unix seconds by model id. */
    modelCreated: p.json<Readonly<Record<string, number>>>(),
    probe: p.json<EndpointProbeReport>().strictNullable(),
    /** Raised when dialect, key or headers change: a probe of the old ones is not kept. */
    dialRevision: p.integer(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    deletedAt: p.datetime(3).strictNullable(),
  },
  uniques: [{ name: "upstreams_account_id_slug_unique", properties: ["accountId", "slug"] }],
});

export type CustomEndpoint = InferEntity<typeof CustomEndpointEntity>;
