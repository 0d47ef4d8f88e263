import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { OpenApiDiffDocument } from "../../../../src/cli/services/diff/open-api-document.ts";
import {
  indexOpenApiOperationsForDiff,
  readOpenApiBasePath,
  type OpenApiSchemasByMediaType,
  type OpenApiDiffOperation,
  type OpenApiDiffParameter,
} from "../../../../src/cli/services/diff/operations-of.ts";
import { flattenOpenApiSchema } from "../../../../src/cli/services/diff/schema-view.ts";
import { noFacts, noteType, shapeOf, type Facts } from "../facts.ts";
import { Canaries } from "./canaries.ts";
import { Resources } from "./resources.ts";
import { valueOf, type ValueContext } from "./value-of.ts";

/** Traffic of an interface, and what holds of it: the best that a learner can find out. */
export interface Traffic {
  /** A HAR 1.2 object. */
  readonly har: JsonObject;
  readonly facts: Facts;
  readonly canaries: Canaries;
}

const operationsAtMost = 40;

const origin = "https://service.example";

/** Random traffic with so many requests of each operation, the same for the same seed. */
export function trafficOf(
  document: OpenApiDiffDocument,
  observations: number,
  seed: number,
): Traffic {
  const canaries = new Canaries(seed);
  const facts = noFacts();
  const resources = new Resources(observations);
  const context = { document, canaries, facts, resources };
  const operations = someOf([
    ...indexOpenApiOperationsForDiff(document, readOpenApiBasePath(document) ?? "").values(),
  ]);
  const entries = operations.flatMap((operation) =>
    Array.from({ length: observations }, (_, index) => entryOf(context, operation, index)),
  );
  const log = { version: "1.2", creator: { name: "bench", version: "1" }, entries };
  return { har: { log }, facts, canaries };
}

/** Of a large interface, operations from all over it: a document has room for 2000 properties. */
function someOf(operations: readonly OpenApiDiffOperation[]): OpenApiDiffOperation[] {
  const step = Math.max(1, operations.length / operationsAtMost);
  return operations.filter(
    (_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step),
  );
}

interface TrafficContext extends ValueContext {
  readonly resources: Resources;
}

function entryOf(
  context: TrafficContext,
  operation: OpenApiDiffOperation,
  index: number,
): JsonObject {
  const { canaries, facts } = context;
  const address = addressOf(context, operation);
  const name = shapeOf(address.name);
  const [method = "", template = ""] = name.split(" ");
  facts.templates.add(template);
  const url = new URL(`${origin}${pathOf(context, address, index)}`);
  for (const [key, parameter] of operation.parameters) {
    addToQuery(context, url, name, key, parameter);
  }
  const [status, contents] = answerOf(operation, canaries);
  const answer = bodyOf(context, contents, `${name} ${status}`);
  const request = operation.body && bodyOf(context, operation.body.contents, `${name} body`);
  return {
    startedDateTime: "2026-11-20T10:00:00.000Z",
    time: canaries.random.between(1, 500),
    request: {
      ...messageOf(canaries),
      method,
      url: url.href,
      queryString: [...url.searchParams].map(([key, value]) => ({ name: key, value })),
      ...(request && { postData: request }),
    },
    response: {
      ...messageOf(canaries),
      status: Number(status),
      statusText: "",
      content: { size: answer?.text.length ?? 0, mimeType: "", ...answer },
      redirectURL: "",
    },
    cache: {},
    timings: { send: 0, wait: 1, receive: 1 },
  };
}

/** Method and path of a request, and its variables in the order of the path. */
interface Address {
  readonly name: string;
  readonly variables: readonly { readonly name: string; readonly schema: JsonObject }[];
}

/** Of the few words that an interface lists for a variable, traffic has one: to whoever sees it a constant. */
function addressOf({ document }: ValueContext, operation: OpenApiDiffOperation): Address {
  const variables: { name: string; schema: JsonObject }[] = [];
  let index = 0;
  const name = operation.name.replaceAll(/\{([^}]*)\}/g, (whole, variable: string) => {
    index += 1;
    const schema = document.resolved(operation.parameters.get(`path ${index}`)?.schema);
    const { enum: words } = schema;
    const [word] = Array.isArray(words) ? words : [];
    if (typeof word === "string") return word;
    variables.push({ name: variable, schema });
    return whole;
  });
  return { name, variables };
}

function pathOf(
  context: TrafficContext,
  { name, variables }: Address,
  observation: number,
): string {
  const [, template = ""] = name.split(" ");
  let index = 0;
  return template.replaceAll(/\{[^}]*\}/g, (_, at: number) => {
    const { name: variable = "", schema = {} } = variables[index++] ?? {};
    const place = `${shapeOf(name)} path ${index}`;
    context.facts.parameters.add(place);
    const collection = shapeOf(template.slice(0, at));
    const value = context.resources.at(collection, observation, () =>
      segmentOf(context, schema, variable),
    );
    noteType(context.facts, place, typeOfSegment(context, schema));
    return encodeURIComponent(value);
  });
}

function typeOfSegment({ document }: ValueContext, schema: JsonObject): string {
  const [type = "string"] = flattenOpenApiSchema(document, schema).types;
  return type;
}

/** An interface gives ids of one kind at a place; which one is told by the type or the name. */
function segmentOf(context: ValueContext, schema: JsonObject, name: string): string {
  const { canaries } = context;
  if (typeOfSegment(context, schema) === "integer") return String(canaries.integer());
  if (typeOfSegment(context, schema) === "number") return String(canaries.number());
  if (schema["format"] === "date" || /date/i.test(name)) return canaries.date();
  if (schema["format"] === "uuid" || /uuid/i.test(name)) return canaries.uuid();
  if (/sha$|hash|digest/i.test(name)) return canaries.hash();
  if (/(^|_)id$|Id$/.test(name)) return canaries.id(name.slice(0, 3).toLowerCase());
  return canaries.slug();
}

function addToQuery(
  context: ValueContext,
  url: URL,
  name: string,
  key: string,
  { required, schema }: OpenApiDiffParameter,
): void {
  const { canaries, facts, document } = context;
  if (!key.startsWith("query ") || (!required && canaries.random.next() > 0.7)) return;
  const place = `${name} ${key}`;
  const { types } = flattenOpenApiSchema(document, schema);
  facts.parameters.add(place);
  const parameter = key.slice("query ".length);
  // Of lists and objects an address tells no more than text.
  const isText = types.has("array") || types.has("object");
  const sent = isText ? { type: "string" } : withoutNull(schema, [...types]);
  url.searchParams.append(parameter, textOf(valueOf(context, sent, place, parameter)));
}

function withoutNull(schema: JsonObject, types: readonly string[]): JsonObject {
  const type = types.find((name) => name !== "null") ?? "string";
  return types.includes("null") ? { type } : schema;
}

const shareOfRefusals = 0.1;

/** A status of an operation with its bodies. Most requests succeed. */
function answerOf(
  { responses }: OpenApiDiffOperation,
  { random }: Canaries,
): [string, OpenApiSchemasByMediaType] {
  const said = [...responses].filter(([status]) => /^[1-5]\d\d$/.test(status));
  const good = said.filter(([status]) => status.startsWith("2"));
  const bad = said.filter(([status]) => /^[45]/.test(status));
  if (bad.length > 0 && (good.length === 0 || random.next() < shareOfRefusals))
    return random.pick(bad);
  if (good.length > 0) return random.pick(good);
  return ["200", responses.get("2XX") ?? responses.get("default") ?? new Map()];
}

interface TextBody extends Record<string, JsonValue> {
  readonly mimeType: string;
  readonly text: string;
}

function bodyOf(
  context: ValueContext,
  contents: OpenApiSchemasByMediaType,
  place: string,
): TextBody | undefined {
  const json = [...contents].find(([type]) => /[/+]json$/.test(type));
  if (json !== undefined) {
    const [mimeType, schema] = json;
    return { mimeType, text: JSON.stringify(valueOf(context, schema, place, "")) };
  }
  const [other] = contents;
  if (other === undefined) return undefined;
  const [mimeType, schema] = other;
  const isForm = mimeType === "application/x-www-form-urlencoded";
  const text = isForm ? formOf(context, schema, place) : context.canaries.word();
  return { mimeType, text };
}

/** A form of the members that are no lists and no objects. */
function formOf(context: ValueContext, schema: JsonObject, place: string): string {
  const form = new URLSearchParams();
  for (const [name, property] of flattenOpenApiSchema(context.document, schema).properties) {
    const [type = "string"] = flattenOpenApiSchema(context.document, property).types;
    if (type === "array" || type === "object") continue;
    context.facts.properties.add(`${place}.${name}`);
    form.append(name, textOf(valueOf(context, { type }, `${place}.${name}`, name)));
  }
  noteType(context.facts, place, "object");
  return form.toString();
}

function messageOf(canaries: Canaries): JsonObject {
  return {
    httpVersion: "HTTP/1.1",
    headers: [
      { name: "authorization", value: `Bearer ${canaries.id("tok", 40)}` },
      { name: "x-request-id", value: canaries.uuid() },
      { name: "cookie", value: `session=${canaries.hash()}` },
    ],
    cookies: [{ name: canaries.word(), value: canaries.hash() }],
    queryString: [],
    headersSize: -1,
    bodySize: -1,
  };
}

/** A value as an address or a form has it. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
