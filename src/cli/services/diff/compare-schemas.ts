import type { JsonObject } from "@bufbuild/protobuf";
import type { OpenApiDiffDocument } from "./open-api-document.ts";
import { CliError } from "../../cli-error.ts";
import { pairMapEntriesByKey } from "./pair-by-key.ts";
import { flattenOpenApiSchema, type FlattenedOpenApiSchema } from "./schema-view.ts";

/** A difference within an operation. */
export interface OpenApiDifference {
  /** What became of the place from the first document to the second. */
  readonly change: "new" | "gone" | "changed";
  /** Empty: the operation itself. */
  readonly place: string;
  /** What the first document says; null for what is new. */
  readonly was: string | null;
  /** What the second document says; null for what is gone. */
  readonly now: string | null;
}

/** The document that a comparison starts from, and the one that it leads to. */
export interface OpenApiDocumentPair {
  readonly was: OpenApiDiffDocument;
  readonly now: OpenApiDiffDocument;
}

/** A comparison on its way. */
export interface OpenApiComparisonState extends OpenApiDocumentPair {
  /** Places that were compared. */
  readonly visited: { places: number };
}

/** More than traffic shows of any service; each schema may name others many times. */
const maxPlaces = 500_000;

/** Levels of objects and arrays; what is learned of traffic has 32. */
const maxNesting = 64;

/** Schemas of the two at one place. */
export interface OpenApiSchemaPair {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Something that is in one of the documents alone. */
export function createOneSidedOpenApiDifference(
  change: "new" | "gone",
  place: string,
  what: string,
): OpenApiDifference {
  return {
    change,
    place,
    was: change === "gone" ? what : null,
    now: change === "new" ? what : null,
  };
}

/** Something that both have, and of which they say different things; nothing where they say the same. */
export function* yieldChangedOpenApiDifference(
  place: string,
  was: string,
  now: string,
): Generator<OpenApiDifference> {
  if (was !== now) yield { change: "changed", place, was, now };
}

/**
 * Differences of two schemas at a place and below it. `above` are the pairs that were
 * compared on the way there: schemas that take themselves in are compared once. Throws a
 * `CliError` for documents that have too many places.
 */
export function* compareOpenApiSchemas(
  documents: OpenApiComparisonState,
  place: string,
  pair: OpenApiSchemaPair,
  above: readonly OpenApiSchemaPair[] = [],
): Generator<OpenApiDifference> {
  const isAbove = ({ before, after }: OpenApiSchemaPair) =>
    before === pair.before && after === pair.after;
  if (above.length === maxNesting || above.some(isAbove)) return;
  documents.visited.places += 1;
  if (documents.visited.places > maxPlaces) {
    throw new CliError(`the documents have more than ${maxPlaces} places to compare`);
  }
  const was = flattenOpenApiSchema(documents.was, pair.before);
  const now = flattenOpenApiSchema(documents.now, pair.after);
  if (was.types.size > 0 && now.types.size > 0) {
    yield* yieldChangedOpenApiDifference(
      place,
      formatOpenApiSchemaTypes(was),
      formatOpenApiSchemaTypes(now),
    );
  }
  const below = [...above, pair];
  yield* compareProperties(documents, place, { was, now }, below);
  yield* compareNameless(documents, `${place}[]`, { was: was.items, now: now.items }, below);
  yield* compareNameless(documents, `${place}.*`, { was: was.others, now: now.others }, below);
}

function* compareProperties(
  documents: OpenApiComparisonState,
  place: string,
  views: { readonly was: FlattenedOpenApiSchema; readonly now: FlattenedOpenApiSchema },
  above: readonly OpenApiSchemaPair[],
): Generator<OpenApiDifference> {
  for (const { key, was, now } of pairMapEntriesByKey(views.was.properties, views.now.properties)) {
    const below = `${place}.${key}`;
    if (was === undefined)
      yield createOneSidedOpenApiDifference("new", below, propertyText(documents.now, now));
    else if (now === undefined)
      yield createOneSidedOpenApiDifference("gone", below, propertyText(documents.was, was));
    else {
      const isRequired = ({ required }: FlattenedOpenApiSchema) =>
        formatRequiredness(required.has(key));
      yield* yieldChangedOpenApiDifference(below, isRequired(views.was), isRequired(views.now));
      yield* compareOpenApiSchemas(documents, below, { before: was, after: now }, above);
    }
  }
}

/** One that says nothing of them allows any. */
function* compareNameless(
  documents: OpenApiComparisonState,
  place: string,
  { was, now }: { readonly was: JsonObject | undefined; readonly now: JsonObject | undefined },
  above: readonly OpenApiSchemaPair[],
): Generator<OpenApiDifference> {
  if (was === undefined || now === undefined) return;
  yield* compareOpenApiSchemas(documents, place, { before: was, after: now }, above);
}

function propertyText(document: OpenApiDiffDocument, schema: JsonObject): string {
  return formatOpenApiSchemaTypes(flattenOpenApiSchema(document, schema));
}

/** The types of a schema in one line. */
export function formatOpenApiSchemaTypes({ types }: FlattenedOpenApiSchema): string {
  return types.size === 0 ? "any" : [...types].toSorted().join(" or ");
}

export function formatRequiredness(required: boolean): string {
  return required ? "required" : "optional";
}
