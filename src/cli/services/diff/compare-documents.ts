import {
  compareSchemas,
  diffSchemaText,
  createOneSidedDifference,
  formatRequiredness,
  formatSchemaTypes,
  type DocumentComparisonState,
  type OperationDifference,
  type DocumentPair,
} from "./compare-schemas.ts";
import {
  readComparableOperations,
  readOpenApiBasePath,
  type ComparableRequestBody,
  type SchemasByMediaType,
  type ComparableOperation,
  type ComparableParameter,
} from "./operations-of.ts";
import { pairByKey } from "./pair-by-key.ts";
import { flattenSchema } from "./schema-view.ts";

/** A difference of two documents. */
export interface OpenApiOperationChange extends OperationDifference {
  /** Method and path, as the second document spells it where it has it. */
  readonly operation: string;
}

/**
 * What is new, gone and changed from one document to the other. Paths are compared
 * with those of the servers before them, unless one of the documents names no server.
 * Throws a `CliError` for documents that have too many places.
 */
export function compareOpenApiDocuments(documents: DocumentPair): OpenApiOperationChange[] {
  const prefixes = [readOpenApiBasePath(documents.was), readOpenApiBasePath(documents.now)];
  const [before = "", after = ""] = prefixes.includes(undefined) ? [] : prefixes;
  const operations = pairByKey(
    readComparableOperations(documents.was, before),
    readComparableOperations(documents.now, after),
  );
  const comparison = { ...documents, visited: { places: 0 } };
  return operations.flatMap(({ was, now }) => {
    const operation = (now ?? was)?.name ?? "";
    return [...compareOperations(comparison, was, now)].map((found) => ({ operation, ...found }));
  });
}

function* compareOperations(
  documents: DocumentComparisonState,
  was: ComparableOperation | undefined,
  now: ComparableOperation | undefined,
): Generator<OperationDifference> {
  if (was === undefined) yield createOneSidedDifference("new", "", "an operation");
  else if (now === undefined) yield createOneSidedDifference("gone", "", "an operation");
  else {
    yield* compareParameters(documents, was.parameters, now.parameters);
    yield* compareBodies(documents, was.body, now.body);
    yield* compareResponses(documents, was.responses, now.responses);
  }
}

function* compareParameters(
  documents: DocumentComparisonState,
  before: ReadonlyMap<string, ComparableParameter>,
  after: ReadonlyMap<string, ComparableParameter>,
): Generator<OperationDifference> {
  for (const { key, was, now } of pairByKey(before, after)) {
    // A path that says nothing of its variables has them all the same.
    const isOfPath = key.startsWith("path ");
    if (was !== undefined && now !== undefined) {
      yield* diffSchemaText(
        key,
        formatRequiredness(was.required),
        formatRequiredness(now.required),
      );
      yield* compareSchemas(documents, key, { before: was.schema, after: now.schema });
    } else if (now !== undefined && !isOfPath) {
      yield createOneSidedDifference(
        "new",
        key,
        formatSchemaTypes(flattenSchema(documents.now, now.schema)),
      );
    } else if (was !== undefined && !isOfPath) {
      yield createOneSidedDifference(
        "gone",
        key,
        formatSchemaTypes(flattenSchema(documents.was, was.schema)),
      );
    }
  }
}

function* compareBodies(
  documents: DocumentComparisonState,
  was: ComparableRequestBody | undefined,
  now: ComparableRequestBody | undefined,
): Generator<OperationDifference> {
  if (was !== undefined && now !== undefined) {
    yield* diffSchemaText(
      "body",
      formatRequiredness(was.required),
      formatRequiredness(now.required),
    );
  }
  yield* compareContents(documents, "body", was?.contents, now?.contents);
}

function* compareResponses(
  documents: DocumentComparisonState,
  before: ReadonlyMap<string, SchemasByMediaType>,
  after: ReadonlyMap<string, SchemasByMediaType>,
): Generator<OperationDifference> {
  for (const { key } of pairByKey(before, after)) {
    const place = `response ${key}`;
    const [was, now] = [responseFor(before, key), responseFor(after, key)];
    if (was !== undefined && now !== undefined) {
      yield* compareContents(documents, place, was, now);
    } else if (was === undefined) {
      if (!standsFor(key, before)) yield createOneSidedDifference("new", place, "a response");
    } else if (!standsFor(key, after)) yield createOneSidedDifference("gone", place, "a response");
  }
}

/** What a document says of a status: itself, by its range (`4XX`) or by `default`. */
function responseFor(
  responses: ReadonlyMap<string, SchemasByMediaType>,
  status: string,
): SchemasByMediaType | undefined {
  const range = responses.get(status) ?? responses.get(`${status.slice(0, 1)}XX`);
  return range ?? (/^\d{3}$/.test(status) ? responses.get("default") : undefined);
}

/** Whether a range or `default` is there for statuses that the other document lists. */
function standsFor(key: string, responses: ReadonlyMap<string, SchemasByMediaType>): boolean {
  if (/^\d{3}$/.test(key)) return false;
  return [...responses.keys()].some((status) => key === "default" || status[0] === key[0]);
}

/** Places in a body of JSON are named without its type, `response 200.items[].id`. */
function* compareContents(
  documents: DocumentComparisonState,
  place: string,
  before: SchemasByMediaType = new Map(),
  after: SchemasByMediaType = new Map(),
): Generator<OperationDifference> {
  for (const { key, was, now } of pairByKey(before, after)) {
    const whole = `${place} ${key}`;
    if (was === undefined) yield createOneSidedDifference("new", whole, "a body");
    else if (now === undefined) yield createOneSidedDifference("gone", whole, "a body");
    else
      yield* compareSchemas(documents, key === "application/json" ? place : whole, {
        before: was,
        after: now,
      });
  }
}
