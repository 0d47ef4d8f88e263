import { asArrayOrEmpty, asObject, asString, type JsonObject } from "../../dialect/json.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import { chainMaybePromise, type MaybePromise } from "../../platform/maybe-promise.ts";
import type { AliasLookup } from "../ports.ts";

/** What a call adds, and the alias that it begins with. */
export interface LeadingModelMention {
  /** Without the alias: the model does not see it. */
  readonly items: readonly JsonObject[];
  /** `@token`; undefined: none is mentioned. */
  readonly model: string | undefined;
}

const pattern = /^\s*@([a-z0-9][a-z0-9._-]{0,62})(?:\s+|$)/;

/**
 * The alias at the beginning of the last message of the user; one that the account does not
 * have is plain text. Throws 400 with `param` for a message that has nothing else.
 */
export function extractLeadingModelMention(
  aliases: AliasLookup,
  accountId: string,
  items: readonly JsonObject[],
  param: string,
): MaybePromise<LeadingModelMention> {
  const place = items.findLastIndex(isUsers);
  const item = items[place];
  const [whole = "", token] = pattern.exec(item === undefined ? "" : beginningOf(item)) ?? [];
  if (item === undefined || token === undefined) return { items, model: undefined };
  return chainMaybePromise(aliases.find(accountId, token), (models) => {
    if (models === undefined) return { items, model: undefined };
    const left = withoutBeginning(item, whole.length);
    if (left === undefined) {
      throw invalidRequestError(param, `Nothing is said behind \`@${token}\`.`);
    }
    return { items: items.with(place, left), model: `@${token}` };
  });
}

function isUsers({ type, role }: JsonObject): boolean {
  return type === "message" && role === "user";
}

function beginningOf({ content }: JsonObject): string {
  if (typeof content === "string") return content;
  const first = asObject(asArrayOrEmpty(content)[0]);
  return first?.["type"] === "input_text" ? (asString(first["text"]) ?? "") : "";
}

/** Undefined: nothing is left. */
function withoutBeginning(item: JsonObject, length: number): JsonObject | undefined {
  const { content } = item;
  const text = beginningOf(item).slice(length);
  if (typeof content === "string") return text === "" ? undefined : { ...item, content: text };
  const [first, ...others] = asArrayOrEmpty(content);
  const parts = text === "" ? others : [{ ...asObject(first), text }, ...others];
  return parts.length === 0 ? undefined : { ...item, content: parts };
}
