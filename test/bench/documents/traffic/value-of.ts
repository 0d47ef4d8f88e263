import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { flattenOpenApiSchema } from "../../../../src/cli/services/diff/schema-view.ts";
import type { OpenApiDiffDocument } from "../../../../src/cli/services/diff/open-api-document.ts";
import { noteType, type Facts } from "../facts.ts";
import type { Canaries } from "./canaries.ts";

/** Where a value of traffic is made: of which document, and what then holds of the traffic. */
export interface ValueContext {
  readonly document: OpenApiDiffDocument;
  readonly canaries: Canaries;
  readonly facts: Facts;
}

/** Below this only what is required is made; below twice of it nothing is. */
const deepest = 5;
const shareOfOptional = 0.7;
const shareOfNull = 0.15;

/** A random value that fits a schema; its place and those below it are noted as facts. */
export function valueOf(
  context: ValueContext,
  schema: JsonObject,
  place: string,
  name: string,
  depth = 0,
): JsonValue {
  const { document, canaries, facts } = context;
  const view = flattenOpenApiSchema(document, schema);
  const type = typeFor([...view.types], canaries);
  const noted = (value: JsonValue, as = type): JsonValue => {
    noteType(facts, place, as);
    return value;
  };
  switch (type) {
    case "null":
      return noted(null);
    case "boolean":
      return noted(canaries.random.next() < 0.5);
    case "integer":
      return noted(canaries.integer());
    case "number":
      return noted(canaries.number());
    case "array":
      return noted(elementsOf(context, view.items ?? {}, place, name, depth));
    case "object":
      return noted(membersOf(context, schema, place, depth));
    default:
      return noted(textOf(document.resolved(schema), name, canaries), "string");
  }
}

function typeFor(types: readonly string[], { random }: Canaries): string {
  const some = types.filter((type) => type !== "null");
  if (types.length > some.length && random.next() < shareOfNull) return "null";
  return some.length === 0 ? "string" : random.pick(some);
}

function elementsOf(
  context: ValueContext,
  items: JsonObject,
  place: string,
  name: string,
  depth: number,
): JsonValue[] {
  const { random } = context.canaries;
  const length = depth > 2 * deepest || random.next() < 0.15 ? 0 : random.between(1, 3);
  return Array.from({ length }, () => valueOf(context, items, `${place}[]`, name, depth + 1));
}

function membersOf(
  context: ValueContext,
  schema: JsonObject,
  place: string,
  depth: number,
): JsonObject {
  const { canaries, facts } = context;
  const { properties, required, others } = flattenOpenApiSchema(context.document, schema);
  const value: JsonObject = {};
  if (depth > 2 * deepest) return value;
  for (const [name, property] of properties) {
    const share = depth > deepest ? 0 : shareOfOptional;
    if (!required.has(name) && canaries.random.next() > share) continue;
    facts.properties.add(`${place}.${name}`);
    value[name] = valueOf(context, property, `${place}.${name}`, name, depth + 1);
  }
  if (others === undefined || properties.size > 0) return value;
  for (let count = canaries.random.between(1, 3); count > 0; count--) {
    value[canaries.uuid()] = valueOf(context, others, `${place}.*`, "", depth + 1);
  }
  return value;
}

const textsByFormat: Readonly<Record<string, (canaries: Canaries) => string>> = {
  uuid: (canaries) => canaries.uuid(),
  date: (canaries) => canaries.date(),
  "date-time": (canaries) => canaries.dateTime(),
  email: (canaries) => canaries.email(),
  uri: (canaries) => canaries.url(),
  url: (canaries) => canaries.url(),
};

function textOf({ enum: words, format }: JsonObject, name: string, canaries: Canaries): string {
  const texts = Array.isArray(words) ? words.filter((word) => typeof word === "string") : [];
  // The words of an enumeration are the interface's own, unlike the value that a learner would make of them.
  if (texts.length > 0) return canaries.random.pick(texts);
  const make = new Map(Object.entries(textsByFormat)).get(typeof format === "string" ? format : "");
  if (make !== undefined) return make(canaries);
  if (/(^|_)id$|[a-z]Id$|token|key$/.test(name)) return canaries.id("id");
  if (/sha$|hash|digest/.test(name)) return canaries.hash();
  if (/email/i.test(name)) return canaries.email();
  return `${canaries.word()} ${canaries.word()}`;
}
