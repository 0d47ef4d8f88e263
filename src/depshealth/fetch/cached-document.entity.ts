import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";

/**
 * What was read of a document of a source, shared by every process. It is
 * public data: nothing of a caller is in it but the names that were asked for.
 */
export const DataSourceDocumentEntity = defineEntity({
  name: "CachedDocument",
  tableName: "dependency_cache",
  properties: {
    /** What was asked, its address included, and how it was read. */
    id: p.text().primary(),
    /** JSON; null: the source knows no such thing. */
    document: p.text().strictNullable(),
    etag: p.text().strictNullable(),
    lastModified: p.text().strictNullable(),
    /** When it was last true at the source. */
    observedAt: p.datetime(3),
    freshUntil: p.datetime(3),
    keptUntil: p.datetime(3),
  },
  indexes: [{ name: "dependency_cache_kept_until_index", properties: ["keptUntil"] }],
});

export type PackageDataSourceDocument = InferEntity<typeof DataSourceDocumentEntity>;
