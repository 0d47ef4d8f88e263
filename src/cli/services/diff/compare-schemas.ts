import type { JsonObject } from "@bufbuild/protobuf";
import type { OpenApiDiffDocument } from "./open-api-document.ts";
import { CliError } from "../../cli-error.ts";
import { pairByKey } from "./pair-by-key.ts";
import { flattenSchema, type FlattenedSchema } from "./schema-view.ts";

/** A difference within an operation. */
export interface OperationDifference {
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
export interface DocumentPair {
  readonly was: OpenApiDiffDocument;
  readonly now: OpenApiDiffDocument;
}

/** A comparison on its way. */
export interface DocumentComparisonState extends DocumentPair {
  /** Places that were compared. */
  readonly visited: { places: number };
}

/** More than traffic shows of any service; each schema may name others many times. */
const maxPlaces = 500_000;

/** Levels of objects and arrays; what is learned of traffic has 32. */
const maxNesting = 64;

/** Schemas of the two at one place. */
export interface SchemaPair {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Something that is in one of the documents alone. */
export function createOneSidedDifference(
  change: "new" | "gone",
  place: string,
  what: string,
): OperationDifference {
  return {
    change,
    place,
    was: change === "gone" ? what : null,
    now: change === "new" ? what : null,
  };
}

/** Something that both have, and of which they say different things; nothing where they say the same. */
export function* diffSchemaText(
  place: string,
  was: string,
  now: string,
): Generator<OperationDifference> {
  if (was !== now) yield { change: "changed", place, was, now };
}

/**
 * Differences of two schemas at a place and below it. `above` are the pairs that were
 * compared on the way there: schemas that take themselves in are compared once. Throws a
 * `CliError` for documents that have too many places.
 */
export function* compareSchemas(
  documents: DocumentComparisonState,
  place: string,
  pair: SchemaPair,
  above: readonly SchemaPair[] = [],
): Generator<OperationDifference> {
  const isAbove = ({ before, after }: SchemaPair) => before === pair.before && after === pair.after;
  if (above.length === maxNesting || above.some(isAbove)) return;
  documents.visited.places += 1;
  if (documents.visited.places > maxPlaces) {
    throw new CliError(`the documents have more than ${maxPlaces} places to compare`);
  }
  const was = flattenSchema(documents.was, pair.before);
  const now = flattenSchema(documents.now, pair.after);
  if (was.types.size > 0 && now.types.size > 0) {
    yield* diffSchemaText(place, formatSchemaTypes(was), formatSchemaTypes(now));
  }
  const below = [...above, pair];
  yield* compareProperties(documents, place, { was, now }, below);
  yield* compareNameless(documents, `${place}[]`, { was: was.items, now: now.items }, below);
  yield* compareNameless(documents, `${place}.*`, { was: was.others, now: now.others }, below);
}

function* compareProperties(
  documents: DocumentComparisonState,
  place: string,
  views: { readonly was: FlattenedSchema; readonly now: FlattenedSchema },
  above: readonly SchemaPair[],
): Generator<OperationDifference> {
  for (const { key, was, now } of pairByKey(views.was.properties, views.now.properties)) {
    const below = `${place}.${key}`;
    if (was === undefined)
      yield createOneSidedDifference("new", below, propertyText(documents.now, now));
    else if (now === undefined)
      yield createOneSidedDifference("gone", below, propertyText(documents.was, was));
    else {
      const isRequired = ({ required }: FlattenedSchema) => formatRequiredness(required.has(key));
      yield* diffSchemaText(below, isRequired(views.was), isRequired(views.now));
      yield* compareSchemas(documents, below, { before: was, after: now }, above);
    }
  }
}

/** One that says nothing of them allows any. */
function* compareNameless(
  documents: DocumentComparisonState,
  place: string,
  { was, now }: { readonly was: JsonObject | undefined; readonly now: JsonObject | undefined },
  above: readonly SchemaPair[],
): Generator<OperationDifference> {
  if (was === undefined || now === undefined) return;
  yield* compareSchemas(documents, place, { before: was, after: now }, above);
}

function propertyText(document: OpenApiDiffDocument, schema: JsonObject): string {
  return formatSchemaTypes(flattenSchema(document, schema));
}

/** The types of a schema in one line. */
export function formatSchemaTypes({ types }: FlattenedSchema): string {
  return types.size === 0 ? "any" : [...types].toSorted().join(" or ");
}

export function formatRequiredness(required: boolean): string {
  return required ? "required" : "optional";
}
