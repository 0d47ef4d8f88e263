import {
  compareSchemas,
  changedValue,
  onlyInOne,
  requiredText,
  typeText,
  type Comparison,
  type Difference,
  type Documents,
} from "./compare-schemas.ts";
import {
  readOperations,
  pathPrefix,
  type Body,
  type Contents,
  type ComparedOperation,
  type ComparedParameter,
} from "./operations-of.ts";
import { pairByKey } from "./pair-by-key.ts";
import { schemaView } from "./schema-view.ts";

/** A difference of two documents. */
export interface DocumentChange extends Difference {
  /** Method and path, as the second document spells it where it has it. */
  readonly operation: string;
}

/**
 * What is new, gone and changed from one document to the other. Paths are compared
 * with those of the servers before them, unless one of the documents names no server.
 * Throws a `CliError` for documents that have too many places.
 */
export function compareDocuments(documents: Documents): DocumentChange[] {
  const prefixes = [pathPrefix(documents.was), pathPrefix(documents.now)];
  const [before = "", after = ""] = prefixes.includes(undefined) ? [] : prefixes;
  const operations = pairByKey(
    readOperations(documents.was, before),
    readOperations(documents.now, after),
  );
  const comparison = { ...documents, visited: { places: 0 } };
  return operations.flatMap(({ was, now }) => {
    const operation = (now ?? was)?.name ?? "";
    return [...compareOperations(comparison, was, now)].map((found) => ({ operation, ...found }));
  });
}

function* compareOperations(
  documents: Comparison,
  was: ComparedOperation | undefined,
  now: ComparedOperation | undefined,
): Generator<Difference> {
  if (was === undefined) yield onlyInOne("new", "", "an operation");
  else if (now === undefined) yield onlyInOne("gone", "", "an operation");
  else {
    yield* compareParameters(documents, was.parameters, now.parameters);
    yield* compareBodies(documents, was.body, now.body);
    yield* compareResponses(documents, was.responses, now.responses);
  }
}

function* compareParameters(
  documents: Comparison,
  before: ReadonlyMap<string, ComparedParameter>,
  after: ReadonlyMap<string, ComparedParameter>,
): Generator<Difference> {
  for (const { key, was, now } of pairByKey(before, after)) {
    // A path that says nothing of its variables has them all the same.
    const isOfPath = key.startsWith("path ");
    if (was !== undefined && now !== undefined) {
      yield* changedValue(key, requiredText(was.required), requiredText(now.required));
      yield* compareSchemas(documents, key, { before: was.schema, after: now.schema });
    } else if (now !== undefined && !isOfPath) {
      yield onlyInOne("new", key, typeText(schemaView(documents.now, now.schema)));
    } else if (was !== undefined && !isOfPath) {
      yield onlyInOne("gone", key, typeText(schemaView(documents.was, was.schema)));
    }
  }
}

function* compareBodies(
  documents: Comparison,
  was: Body | undefined,
  now: Body | undefined,
): Generator<Difference> {
  if (was !== undefined && now !== undefined) {
    yield* changedValue("body", requiredText(was.required), requiredText(now.required));
  }
  yield* compareContents(documents, "body", was?.contents, now?.contents);
}

function* compareResponses(
  documents: Comparison,
  before: ReadonlyMap<string, Contents>,
  after: ReadonlyMap<string, Contents>,
): Generator<Difference> {
  for (const { key } of pairByKey(before, after)) {
    const place = `response ${key}`;
    const [was, now] = [responseFor(before, key), responseFor(after, key)];
    if (was !== undefined && now !== undefined) {
      yield* compareContents(documents, place, was, now);
    } else if (was === undefined) {
      if (!standsFor(key, before)) yield onlyInOne("new", place, "a response");
    } else if (!standsFor(key, after)) yield onlyInOne("gone", place, "a response");
  }
}

/** What a document says of a status: itself, by its range (`4XX`) or by `default`. */
function responseFor(
  responses: ReadonlyMap<string, Contents>,
  status: string,
): Contents | undefined {
  const range = responses.get(status) ?? responses.get(`${status.slice(0, 1)}XX`);
  return range ?? (/^\d{3}$/.test(status) ? responses.get("default") : undefined);
}

/** Whether a range or `default` is there for statuses that the other document lists. */
function standsFor(key: string, responses: ReadonlyMap<string, Contents>): boolean {
  if (/^\d{3}$/.test(key)) return false;
  return [...responses.keys()].some((status) => key === "default" || status[0] === key[0]);
}

/** Places in a body of JSON are named without its type, `response 200.items[].id`. */
function* compareContents(
  documents: Comparison,
  place: string,
  before: Contents = new Map(),
  after: Contents = new Map(),
): Generator<Difference> {
  for (const { key, was, now } of pairByKey(before, after)) {
    const whole = `${place} ${key}`;
    if (was === undefined) yield onlyInOne("new", whole, "a body");
    else if (now === undefined) yield onlyInOne("gone", whole, "a body");
    else
      yield* compareSchemas(documents, key === "application/json" ? place : whole, {
        before: was,
        after: now,
      });
  }
}
