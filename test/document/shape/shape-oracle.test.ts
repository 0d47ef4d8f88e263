/** Shapes say of JSON what an inference library says that knows nothing of them. */
import * as fc from "fast-check";
import { createSchema, mergeSchemas } from "genson-js";
import { describe, expect, it } from "vitest";
import { mergeInferredShapes } from "../../../src/document/shape/join-shapes.ts";
import { inferJsonShape } from "../../../src/document/shape/infer-shape.ts";
import { emptyInferredShape } from "../../../src/document/shape/shape.ts";
import { inferredShapeToSchema, type LearnedSchema } from "../../../src/document/render/schema.ts";

const room = { take: () => true };

const json: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }),
    fc.string(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("name", "total", "items", "owner", "__typename"), tie("value")),
  ),
})).value;

/** The library may say the same as several schemas, one for each type. */
type OracleSchema = LearnedSchema & { readonly anyOf?: readonly LearnedSchema[] };

/** What the library says, without what it leaves out for nothing and the order of types. */
function comparable(schema: OracleSchema): unknown {
  const { type, properties, required, items } = (schema.anyOf ?? [schema]).reduce(together, {});
  const inner = Object.entries(properties ?? {}).map(([name, member]) => [
    name,
    comparable(member),
  ]);
  return {
    type: [type ?? []].flat().toSorted(),
    properties: Object.fromEntries(inner),
    required: (required ?? []).toSorted(),
    ...(items !== undefined && Object.keys(items).length > 0 && { items: comparable(items) }),
  };
}

function together(left: LearnedSchema, right: LearnedSchema): LearnedSchema {
  const type = [left.type ?? [], right.type ?? []].flat();
  return { ...left, ...right, type: type.includes("number") ? withoutInteger(type) : type };
}

function withoutInteger(types: readonly string[]): string[] {
  return types.filter((type) => type !== "integer");
}

describe("shapes", () => {
  it("[learned.shapes] describe values as the library does", () => {
    fc.assert(
      fc.property(fc.array(json, { minLength: 1, maxLength: 5 }), (values) => {
        const shape = values
          .map((value) => inferJsonShape(value))
          .reduce(mergeInferredShapes, emptyInferredShape);
        const expected = mergeSchemas(values.map((value) => createSchema(value))) as LearnedSchema;
        expect(comparable(inferredShapeToSchema(shape, room))).toEqual(comparable(expected));
      }),
      { numRuns: 100 },
    );
  });

  it("are a semilattice: commutative, associative, idempotent", () => {
    fc.assert(
      fc.property(json, json, json, (one, two, three) => {
        const [a, b, c] = [inferJsonShape(one), inferJsonShape(two), inferJsonShape(three)];
        const joined = inferredShapeToSchema(
          mergeInferredShapes(mergeInferredShapes(a, b), c),
          room,
        );
        expect(
          inferredShapeToSchema(mergeInferredShapes(c, mergeInferredShapes(b, a)), room),
        ).toEqual(joined);
        expect(
          inferredShapeToSchema(
            mergeInferredShapes(a, mergeInferredShapes(a, mergeInferredShapes(b, c))),
            room,
          ),
        ).toEqual(joined);
        expect(mergeInferredShapes(a, a)).toBe(a);
      }),
      { numRuns: 60 },
    );
  });

  it("have the format that every string has, and none where they differ", () => {
    const formats = (...texts: string[]) =>
      inferredShapeToSchema(inferJsonShape(texts), room).items;
    expect(formats("2026-11-20", "2026-01-31")).toEqual({ type: "string", format: "date" });
    expect(formats("2026-11-20T10:00:00Z")).toEqual({ type: "string", format: "date-time" });
    expect(formats("ada@example.org")).toEqual({ type: "string", format: "email" });
    expect(formats("https://example.org/a?b=c")).toEqual({ type: "string", format: "uri" });
    expect(formats("550e8400-e29b-41d4-a716-446655440000")).toEqual({
      type: "string",
      format: "uuid",
    });
    expect(formats("2026-11-20", "ada@example.org")).toEqual({ type: "string" });
    expect(formats("2026-13-20", "2026-11-20")).toEqual({ type: "string" });
  });

  it("[learned.maps] have additional properties where most keys are values", () => {
    const uuid = "550e8400-e29b-41d4-a716-446655440000";
    const object = { total: 1, 17: "x", [uuid]: "y", "Ada Lovelace": "z", "a@b.co": null };
    expect(inferredShapeToSchema(inferJsonShape(object), room)).toEqual({
      type: "object",
      additionalProperties: { type: ["string", "integer", "null"] },
    });
  });

  it("leave a key out that is a value among names", () => {
    expect(inferredShapeToSchema(inferJsonShape({ total: 1, name: "x", "+1": 3 }), room)).toEqual({
      type: "object",
      properties: { name: { type: "string" }, total: { type: "integer" } },
      required: ["name", "total"],
    });
  });
});
