import { invalidRequestError } from "../platform/errors.ts";
import { asObject, type JsonObject } from "./json.ts";
import { losslessNumberToPlain } from "./parse-exact.ts";

/** Path of a member. */
export function jsonMemberPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** Path of an element. */
export function arrayElementPath(path: string, index: number): string {
  return `${path}[${index}]`;
}

const none: readonly RequestFieldReader[] = [];

/**
 * Reads a caller's body with its place known. A missing field and `null` are
 * undefined (the vendors take `null` for "not said"); a wrong type throws 400
 * `invalid_request` with the exact path.
 */
export class RequestFieldReader {
  readonly value: JsonObject;
  readonly path: string;

  constructor(value: JsonObject, path = "") {
    this.value = value;
    this.path = path;
  }

  /** The element or member `value` at `path`; throws unless it is an object. */
  static member(value: unknown, path: string): RequestFieldReader {
    const object = asObject(losslessNumberToPlain(value));
    if (object === undefined) throw wrongType(path, "an object");
    return new RequestFieldReader(object, path);
  }

  pathOf(name: string): string {
    return jsonMemberPath(this.path, name);
  }

  has(name: string): boolean {
    return this.value[name] !== undefined && this.value[name] !== null;
  }

  string(name: string): string | undefined {
    return this.#typed(name, "a string", isString);
  }

  /** Throws when it is missing, too. */
  requiredString(name: string): string {
    return this.string(name) ?? rejectMissingField(this.pathOf(name));
  }

  boolean(name: string): boolean | undefined {
    return this.#typed(name, "`true` or `false`", isBoolean);
  }

  number(name: string): number | undefined {
    return this.#typed(name, "a number", isNumber);
  }

  integer(name: string): number | undefined {
    return this.#typed(name, "a whole number", isWholeNumber);
  }

  array(name: string): readonly unknown[] | undefined {
    return this.#typed(name, "an array", isArray);
  }

  object(name: string): RequestFieldReader | undefined {
    const value = this.value[name];
    return value === undefined || value === null
      ? undefined
      : RequestFieldReader.member(value, this.pathOf(name));
  }

  /** The elements of an array as objects, each with its place. */
  objects(name: string): readonly RequestFieldReader[] {
    const items = this.array(name);
    if (items === undefined) return none;
    const path = this.pathOf(name);
    return items.map((item, index) =>
      RequestFieldReader.member(item, arrayElementPath(path, index)),
    );
  }

  /** Names of the members that are not in `known`, in the order of the body. */
  unknownNames(known: ReadonlySet<string>): readonly string[] {
    const unknown: string[] = [];
    for (const name of Object.keys(this.value)) if (!known.has(name)) unknown.push(name);
    return unknown;
  }

  #typed<Value>(
    name: string,
    kind: string,
    isRight: (value: unknown) => value is Value,
  ): Value | undefined {
    const value = losslessNumberToPlain(this.value[name]);
    if (value === undefined || value === null) return undefined;
    if (!isRight(value)) throw wrongType(this.pathOf(name), kind);
    return value;
  }
}

/** Throws the refusal of a field that must be there. */
export function rejectMissingField(path: string): never {
  throw invalidRequestError(path, `\`${path}\` is missing.`);
}

function wrongType(path: string, kind: string): Error {
  return invalidRequestError(
    path,
    path === "" ? `The body must be ${kind}.` : `\`${path}\` must be ${kind}.`,
  );
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
