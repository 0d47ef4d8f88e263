import {
  compareOpenApiSchemas,
  yieldChangedOpenApiDifference,
  createOneSidedOpenApiDifference,
  formatRequiredness,
  formatOpenApiSchemaTypes,
  type OpenApiComparisonState,
  type OpenApiDifference,
  type OpenApiDocumentPair,
} from "./compare-schemas.ts";
import {
  indexOpenApiOperationsForDiff,
  readOpenApiBasePath,
  type OpenApiDiffRequestBody,
  type OpenApiSchemasByMediaType,
  type OpenApiDiffOperation,
  type OpenApiDiffParameter,
} from "./operations-of.ts";
import { pairMapEntriesByKey } from "./pair-by-key.ts";
import { flattenOpenApiSchema } from "./schema-view.ts";

/** A difference of two documents. */
export interface OpenApiOperationChange extends OpenApiDifference {
  /** Method and path, as the second document spells it where it has it. */
  readonly operation: string;
}

/**
 * What is new, gone and changed from one document to the other. Paths are compared
 * with those of the servers before them, unless one of the documents names no server.
 * Throws a `CliError` for documents that have too many places.
 */
export function compareOpenApiDocuments(documents: OpenApiDocumentPair): OpenApiOperationChange[] {
  const prefixes = [readOpenApiBasePath(documents.was), readOpenApiBasePath(documents.now)];
  const [before = "", after = ""] = prefixes.includes(undefined) ? [] : prefixes;
  const operations = pairMapEntriesByKey(
    indexOpenApiOperationsForDiff(documents.was, before),
    indexOpenApiOperationsForDiff(documents.now, after),
  );
  const comparison = { ...documents, visited: { places: 0 } };
  return operations.flatMap(({ was, now }) => {
    const operation = (now ?? was)?.name ?? "";
    return [...compareOperations(comparison, was, now)].map((found) => ({ operation, ...found }));
  });
}

function* compareOperations(
  documents: OpenApiComparisonState,
  was: OpenApiDiffOperation | undefined,
  now: OpenApiDiffOperation | undefined,
): Generator<OpenApiDifference> {
  if (was === undefined) yield createOneSidedOpenApiDifference("new", "", "an operation");
  else if (now === undefined) yield createOneSidedOpenApiDifference("gone", "", "an operation");
  else {
    yield* compareParameters(documents, was.parameters, now.parameters);
    yield* compareBodies(documents, was.body, now.body);
    yield* compareResponses(documents, was.responses, now.responses);
  }
}

function* compareParameters(
  documents: OpenApiComparisonState,
  before: ReadonlyMap<string, OpenApiDiffParameter>,
  after: ReadonlyMap<string, OpenApiDiffParameter>,
): Generator<OpenApiDifference> {
  for (const { key, was, now } of pairMapEntriesByKey(before, after)) {
    // A path that says nothing of its variables has them all the same.
    const isOfPath = key.startsWith("path ");
    if (was !== undefined && now !== undefined) {
      yield* yieldChangedOpenApiDifference(
        key,
        formatRequiredness(was.required),
        formatRequiredness(now.required),
      );
      yield* compareOpenApiSchemas(documents, key, { before: was.schema, after: now.schema });
    } else if (now !== undefined && !isOfPath) {
      yield createOneSidedOpenApiDifference(
        "new",
        key,
        formatOpenApiSchemaTypes(flattenOpenApiSchema(documents.now, now.schema)),
      );
    } else if (was !== undefined && !isOfPath) {
      yield createOneSidedOpenApiDifference(
        "gone",
        key,
        formatOpenApiSchemaTypes(flattenOpenApiSchema(documents.was, was.schema)),
      );
    }
  }
}

function* compareBodies(
  documents: OpenApiComparisonState,
  was: OpenApiDiffRequestBody | undefined,
  now: OpenApiDiffRequestBody | undefined,
): Generator<OpenApiDifference> {
  if (was !== undefined && now !== undefined) {
    yield* yieldChangedOpenApiDifference(
      "body",
      formatRequiredness(was.required),
      formatRequiredness(now.required),
    );
  }
  yield* compareContents(documents, "body", was?.contents, now?.contents);
}

function* compareResponses(
  documents: OpenApiComparisonState,
  before: ReadonlyMap<string, OpenApiSchemasByMediaType>,
  after: ReadonlyMap<string, OpenApiSchemasByMediaType>,
): Generator<OpenApiDifference> {
  for (const { key } of pairMapEntriesByKey(before, after)) {
    const place = `response ${key}`;
    const [was, now] = [responseFor(before, key), responseFor(after, key)];
    if (was !== undefined && now !== undefined) {
      yield* compareContents(documents, place, was, now);
    } else if (was === undefined) {
      if (!standsFor(key, before))
        yield createOneSidedOpenApiDifference("new", place, "a response");
    } else if (!standsFor(key, after))
      yield createOneSidedOpenApiDifference("gone", place, "a response");
  }
}

/** What a document says of a status: itself, by its range (`4XX`) or by `default`. */
function responseFor(
  responses: ReadonlyMap<string, OpenApiSchemasByMediaType>,
  status: string,
): OpenApiSchemasByMediaType | undefined {
  const range = responses.get(status) ?? responses.get(`${status.slice(0, 1)}XX`);
  return range ?? (/^\d{3}$/.test(status) ? responses.get("default") : undefined);
}

/** Whether a range or `default` is there for statuses that the other document lists. */
function standsFor(
  key: string,
  responses: ReadonlyMap<string, OpenApiSchemasByMediaType>,
): boolean {
  if (/^\d{3}$/.test(key)) return false;
  return [...responses.keys()].some((status) => key === "default" || status[0] === key[0]);
}

/** Places in a body of JSON are named without its type, `response 200.items[].id`. */
function* compareContents(
  documents: OpenApiComparisonState,
  place: string,
  before: OpenApiSchemasByMediaType = new Map(),
  after: OpenApiSchemasByMediaType = new Map(),
): Generator<OpenApiDifference> {
  for (const { key, was, now } of pairMapEntriesByKey(before, after)) {
    const whole = `${place} ${key}`;
    if (was === undefined) yield createOneSidedOpenApiDifference("new", whole, "a body");
    else if (now === undefined) yield createOneSidedOpenApiDifference("gone", whole, "a body");
    else
      yield* compareOpenApiSchemas(documents, key === "application/json" ? place : whole, {
        before: was,
        after: now,
      });
  }
}
