import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { compareOpenApiDocuments } from "../../../../src/cli/services/diff/compare-documents.ts";
import { parseOpenApiDocument } from "../../../../src/cli/services/diff/read-open-api.ts";
import { expectLinear } from "../../../support/growth.ts";

/** A document of one operation that answers with the schema `S0`. */
function documentOf(schemas: JsonObject) {
  const schema = { $ref: "#/components/schemas/S0" };
  const responses = { 200: { content: { "application/json": { schema } } } };
  const root = {
    openapi: "3.1.0",
    components: { schemas },
    paths: { "/x": { get: { responses } } },
  };
  return parseOpenApiDocument("file", JSON.stringify(root));
}

/** Schemas of which each takes the next in by `make`, down to the last. */
function chain(depth: number, make: (next: JsonObject) => JsonObject, last: JsonObject) {
  const schemas: JsonObject = { [`S${depth}`]: last };
  for (let index = 0; index < depth; index++) {
    schemas[`S${index}`] = make({ $ref: `#/components/schemas/S${index + 1}` });
  }
  return documentOf(schemas);
}

const member = { type: "object", properties: { a: { type: "string" } } };

describe("compareDocuments", () => {
  it.each(["allOf", "anyOf", "oneOf"])(
    "reads a chain of `%s` in time that grows with its length",
    (how) => {
      expectLinear(5, (depth) => {
        const was = chain(depth, (next) => ({ [how]: [next, next] }), member);
        return () => compareOpenApiDocuments({ was, now: was });
      });
    },
  );

  it("finds below a chain what differs", () => {
    const twice = (next: JsonObject): JsonObject => ({
      allOf: [next, { properties: { b: { type: "string" } } }, next],
    });
    const other = { type: "object", properties: { a: { type: "integer" } } };
    const changes = compareOpenApiDocuments({
      was: chain(20, twice, member),
      now: chain(20, twice, other),
    });
    expect(changes).toEqual([
      {
        operation: "GET /x",
        change: "changed",
        place: "response 200.a",
        was: "string",
        now: "integer",
      },
    ]);
  });

  it("compares schemas once that take themselves in", () => {
    const self = { $ref: "#/components/schemas/S0" };
    const schemas = (type: string): JsonObject => ({
      S0: { allOf: [{ properties: { id: { type }, next: self } }, { properties: { next: self } }] },
    });
    const changes = compareOpenApiDocuments({
      was: documentOf(schemas("string")),
      now: documentOf(schemas("integer")),
    });
    expect(changes[0]).toMatchObject({ place: "response 200.id" });
  });

  it("refuses documents that have too many places", () => {
    const both = (next: JsonObject): JsonObject => ({ properties: { a: next, b: next } });
    const was = chain(30, both, { type: "string" });
    expect(() => compareOpenApiDocuments({ was, now: was })).toThrow("more than 500000 places");
  });
});
