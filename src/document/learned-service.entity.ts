import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";

/** A service of which traffic was learned. A forgotten one keeps its row without its content, as a cursor. */
export const LearnedServiceEntity = defineEntity({
  name: "LearnedService",
  tableName: "learned_services",
  properties: {
    /** As the operator calls it. */
    id: p.text().primary(),
    /** Null: it was never shipped. */
    title: p.text().strictNullable(),
    /** Null: it was never shipped. */
    baseUrl: p.text().strictNullable(),
    /** Sealed tree of what was learned, see `encodeLearnedPathTree`; null: it was forgotten. */
    state: p.text().strictNullable(),
    /** Posts that were learned. */
    captures: p.bigint("number"),
    observations: p.bigint("number"),
    /** Day of the first request and of the last, `2026-11-20`; null: none said when. */
    firstDay: p.text().strictNullable(),
    lastDay: p.text().strictNullable(),
    templatesCount: p.integer(),
    /** The document as it was shipped, JSON; null: it is not shipped. */
    published: p.text().lazy().strictNullable(),
    /** Whether it is. */
    shipped: p.boolean(),
    updatedAt: p.datetime(3),
    deletedAt: p.datetime(3).strictNullable(),
  },
});

export type LearnedService = InferEntity<typeof LearnedServiceEntity>;
