import { arrayElementPath, jsonMemberPath } from "../../dialect/body-reader.ts";
import { asObject, type JsonObject } from "../../dialect/json.ts";

/**
 * Members that hold the JSON of a tool, or notes on a text. Their names are the caller's own, and
 * a vendor opens nothing that they name.
 */
const opaqueMembers: ReadonlySet<string> = new Set([
  "input",
  "arguments",
  "input_schema",
  "input_examples",
  "output_schema",
  "parameters",
  "schema",
  "annotations",
  "citations",
]);

/** Names the matching member of an object. Returns undefined if the object has none. */
type MemberFinder = (object: JsonObject) => string | undefined;

/**
 * Returns the path of the first member that `findMember` finds in a value or in anything within it,
 * at any depth. `path` is where the value is. The JSON of tools is passed over.
 */
export function findNestedMemberPath(
  value: unknown,
  path: string,
  findMember: MemberFinder,
): string | undefined {
  return findSteps(value, findMember)?.reduce<string>(
    (outer, step) =>
      typeof step === "number" ? arrayElementPath(outer, step) : jsonMemberPath(outer, step),
    path,
  );
}

/**
 * Names and indexes from the outside in. Paths of all values would take more time than the walk,
 * and so would iterators: a body has up to 400,000 values.
 */
function findSteps(value: unknown, findMember: MemberFinder): (string | number)[] | undefined {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const steps = findSteps(value[index], findMember);
      if (steps !== undefined) return [index, ...steps];
    }
    return undefined;
  }
  const object = asObject(value);
  if (object === undefined) return undefined;
  const found = findMember(object);
  if (found !== undefined) return [found];
  for (const name in object) {
    const member = object[name];
    if (typeof member !== "object" || opaqueMembers.has(name)) continue;
    const steps = findSteps(member, findMember);
    if (steps !== undefined) return [name, ...steps];
  }
  return undefined;
}
