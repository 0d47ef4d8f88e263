import type { JsonObject } from "../../../src/dialect/json.ts";

/** Characters of a text for each repetition: texts grow faster than lists, as documents allow. */
export const unitsPerRepeat = 100;

/** A request while dimensions add to it. Dimensions of one document share all but the groups. */
export interface RequestDraft {
  /** Members of the body. */
  readonly members: Record<string, unknown>;
  readonly tools: JsonObject[];
  /** Messages or items; one group stays together. */
  readonly groups: JsonObject[][];
  /** Items of the stored response that the request continues (Responses). */
  readonly stored: JsonObject[];
}

/** The response of an upstream while dimensions add to it. */
export interface ResponseDraft {
  /** The caller's request, in the chat dialect. */
  readonly request: RequestDraft;
  /** Events of a stream, or blocks, items or members of a whole response. */
  readonly groups: JsonObject[][];
  /** Members of a whole response or of its message. */
  readonly members: Record<string, unknown>;
  /** Returns the next number of a block, item or tool call. */
  readonly nextIndex: () => number;
}

/** Adds one thing `count` times. */
export type Dimension<Draft> = (draft: Draft, count: number) => void;

export type Dimensions<Draft> = Readonly<Record<string, Dimension<Draft>>>;

/** Returns a text of `count` times `unitsPerRepeat` units. */
export function longText(count: number, piece = "a"): string {
  return piece.repeat(Math.ceil((count * unitsPerRepeat) / piece.length));
}

/** Returns what `make` returns for all indexes below `count`. */
export function repeat<Value>(count: number, make: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Returns an object of `count` members. */
export function manyMembers(count: number, prefix: string, value: unknown = 1): JsonObject {
  return Object.fromEntries(repeat(count, (index) => [`${prefix}${index}`, value]));
}

const levels = 100;

/** Returns a list of values that nest `levels` deep, of `count` levels together. */
export function deepValues(count: number): unknown[] {
  return repeat(Math.ceil(count / levels), () => {
    let value: unknown = [];
    for (let level = 1; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
    return value;
  });
}

/** Adds values to a list among members. */
export function addToList(
  members: Record<string, unknown>,
  name: string,
  values: readonly unknown[],
): void {
  const list = (members[name] ??= []) as unknown[];
  for (const value of values) list.push(value);
}

/** Adds members to an object among members. */
export function addToObject(
  members: Record<string, unknown>,
  name: string,
  added: JsonObject,
): void {
  Object.assign((members[name] ??= {}) as Record<string, unknown>, added);
}

/** Adds groups of one value each. */
export function addEach(groups: JsonObject[][], values: readonly JsonObject[]): void {
  for (const value of values) groups.push([value]);
}

/** Merges the groups of several drafts evenly and in their order, so that each has the others around it. */
export function mergeGroups(lists: readonly (readonly JsonObject[][])[]): JsonObject[] {
  const placed = lists.flatMap((groups) =>
    groups.map((group, index) => ({ group, place: index / groups.length })),
  );
  return placed.toSorted((one, other) => one.place - other.place).flatMap(({ group }) => group);
}

/** Returns a draft that the next dimension adds to. */
export function nextDraft<Draft extends { readonly groups: JsonObject[][] }>(draft: Draft): Draft {
  return { ...draft, groups: [] };
}

export function emptyRequest(): RequestDraft {
  return { members: {}, tools: [], groups: [], stored: [] };
}

export function emptyResponse(): ResponseDraft {
  let index = 0;
  return { request: emptyRequest(), groups: [], members: {}, nextIndex: () => index++ };
}
