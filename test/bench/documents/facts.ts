import type { JsonObject } from "@bufbuild/protobuf";
import type { OpenApiDiffDocument } from "../../../src/cli/services/diff/open-api-document.ts";
import {
  indexOpenApiOperationsForDiff,
  readOpenApiBasePath,
  type OpenApiSchemasByMediaType,
} from "../../../src/cli/services/diff/operations-of.ts";
import { flattenOpenApiSchema } from "../../../src/cli/services/diff/schema-view.ts";

/** What is scored. */
export const aspects = ["templates", "parameters", "properties", "types"] as const;

export type Aspect = (typeof aspects)[number];

/** Statements about an interface, as texts that two documents have in common or not. */
export type Facts = Readonly<Record<Aspect, Set<string>>>;

export function noFacts(): Facts {
  return {
    templates: new Set(),
    parameters: new Set(),
    properties: new Set(),
    types: new Set(),
  };
}

/** Places further below a body are not looked at. */
const deepest = 8;

/** A path without the names of its parameters, which no traffic tells. */
export function shapeOf(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, "{}");
}

/** Whether bodies of a media type have a shape: JSON and plain forms. */
export function hasShape(mediaType: string): boolean {
  return /[/+]json$|^application\/x-www-form-urlencoded$/.test(mediaType);
}

/** Notes the type of a place; a number that was whole now and then is a number. */
export function noteType({ types }: Facts, place: string, type: string): void {
  const [whole, number] = [`${place} integer`, `${place} number`];
  if (type === "integer" && types.has(number)) return;
  if (type === "number") types.delete(whole);
  types.add(`${place} ${type}`);
}

/** What a document states. Headers are left out: half of the learners list each of them. */
export function factsOf(document: OpenApiDiffDocument): Facts {
  const facts = noFacts();
  for (const operation of indexOpenApiOperationsForDiff(
    document,
    readOpenApiBasePath(document) ?? "",
  ).values()) {
    const name = shapeOf(operation.name);
    facts.templates.add(name.slice(name.indexOf(" ") + 1));
    for (const [key, { schema }] of operation.parameters) {
      facts.parameters.add(`${name} ${key}`);
      noteSchema(facts, document, `${name} ${key}`, schema, 0);
    }
    noteContents(facts, document, `${name} body`, operation.body?.contents);
    for (const [status, contents] of operation.responses) {
      noteContents(facts, document, `${name} ${status}`, contents);
    }
  }
  return facts;
}

function noteContents(
  facts: Facts,
  document: OpenApiDiffDocument,
  place: string,
  contents: OpenApiSchemasByMediaType = new Map(),
): void {
  for (const [type, schema] of contents) {
    if (hasShape(type)) noteSchema(facts, document, place, schema, 0);
  }
}

function noteSchema(
  facts: Facts,
  document: OpenApiDiffDocument,
  place: string,
  schema: JsonObject,
  depth: number,
): void {
  if (depth > deepest) return;
  const { types, properties, items, others } = flattenOpenApiSchema(document, schema);
  for (const type of types) noteType(facts, place, type);
  for (const [name, property] of properties) {
    facts.properties.add(`${place}.${name}`);
    noteSchema(facts, document, `${place}.${name}`, property, depth + 1);
  }
  if (items !== undefined) noteSchema(facts, document, `${place}[]`, items, depth + 1);
  if (others !== undefined) noteSchema(facts, document, `${place}.*`, others, depth + 1);
}
