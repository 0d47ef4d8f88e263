import { asArrayOrEmpty, asObject, asString, type JsonObject } from "../../../src/dialect/json.ts";

/** What a vendor would refuse in a body, and where; the first one is told. */
export interface Violation {
  /** Dotted, with indexes: `messages[1].content[0].text`. Empty: the body itself. */
  readonly path: string;
  readonly message: string;
  /** By which clients know it. */
  readonly code?: string;
}

const none: readonly Violation[] = [];

/** The fault, if it is one. */
export function violationIf(isFault: boolean, path: string, message: string): readonly Violation[] {
  return isFault ? [{ path, message }] : none;
}

/** A list that is none. */
export function listViolations(value: unknown, path: string): readonly Violation[] {
  const isList = value === undefined || value === null || Array.isArray(value);
  return violationIf(!isList, path, "Invalid type: expected an array");
}

/** Members that the vendor does not know; `undefined` must not reach it either. */
export function extraInputs(
  object: JsonObject,
  known: ReadonlySet<string>,
  path = "",
): readonly Violation[] {
  return Object.keys(object)
    .filter((name) => !known.has(name) || object[name] === undefined)
    .map((name) => ({ path: join(path, name), message: "Extra inputs are not permitted" }));
}

/** The elements of a list that are objects, each with its place; anything else is an empty object. */
export function elements(value: unknown, path: string): readonly (readonly [JsonObject, string])[] {
  return asArrayOrEmpty(value).map((item, at) => [asObject(item) ?? {}, `${path}[${at}]`]);
}

export function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** Names that come twice. */
export function repeated(names: readonly string[]): readonly string[] {
  return names.filter((name, at) => names.indexOf(name) !== at);
}

/** Whether a text is the JSON of an object. */
export function isObjectText(text: unknown): boolean {
  try {
    return typeof text === "string" && asObject(JSON.parse(text)) !== undefined;
  } catch {
    return false;
  }
}

/** Ids of end users in chat and responses; some of their servers take twice as long ones. */
export function userViolations(body: JsonObject): readonly Violation[] {
  return ["user", "safety_identifier"].flatMap((name) =>
    violationIf(
      (asString(body[name]) ?? "").length > 64,
      name,
      "string too long. Expected a string with maximum length 64",
    ),
  );
}
