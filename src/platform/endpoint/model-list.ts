import type { DialectId } from "../configuration/configuration.ts";
import { isJsonObject, type JsonObject } from "../json-value.ts";

/** One model of an upstream's list, as far as it says. */
export interface UpstreamListedModel {
  readonly id: string;
  readonly name: string | undefined;
  /** When it was made, Unix seconds. */
  readonly created: number | undefined;
  /** Tokens that prompt and answer may have together. */
  readonly contextWindow: number | undefined;
  /** Tokens that an answer may have. */
  readonly maxOutputTokens: number | undefined;
}

/** A model list and the dialect that its form gives away, if it does. */
export interface ParsedUpstreamModelList {
  readonly models: readonly UpstreamListedModel[];
  readonly dialect: DialectId | undefined;
}

const maxModels = 1000;
const maxIdLength = 300;
const maxNameLength = 200;
const maxInt32 = 2 ** 31 - 1;
/** Later ones are no times, or milliseconds. */
const lastSecond = Date.parse("9999-12-31T23:59:59Z") / 1000;

/** What upstreams call these two numbers; the first that is there counts. */
const contextWindowNames = [
  "context_window",
  "context_length",
  "max_model_len",
  "max_context_length",
  "max_input_tokens",
];
const maxOutputTokensNames = ["max_output_tokens", "max_completion_tokens", "max_tokens"];

/**
 * Reads a model list out of parsed JSON: the list envelope of either dialect, a
 * `models` array or a bare array. Undefined: it is no model list. At most 1000
 * models are read; entries without a usable id are skipped.
 */
export function readUpstreamModelList(json: unknown): ParsedUpstreamModelList | undefined {
  const entries = entriesOf(json);
  if (entries === undefined) return undefined;
  const models = new Map<string, UpstreamListedModel>();
  for (const entry of entries) {
    const model = readModel(entry);
    if (model !== undefined && models.size < maxModels) models.set(model.id, model);
  }
  return { models: [...models.values()], dialect: dialectOf(json, entries) };
}

function entriesOf(json: unknown): readonly unknown[] | undefined {
  if (Array.isArray(json)) return json;
  if (!isJsonObject(json)) return undefined;
  if (Array.isArray(json["data"])) return json["data"];
  return Array.isArray(json["models"]) ? json["models"] : undefined;
}

/**
 * Messages lists call an entry `type: "model"`, chat lists `object: "model"`; one that
 * says both, as this server's own does, is a chat list that messages clients read too.
 */
function dialectOf(json: unknown, entries: readonly unknown[]): DialectId | undefined {
  const [first] = entries;
  const looksLikeChat =
    (isJsonObject(first) && first["object"] === "model") ||
    (isJsonObject(json) && json["object"] === "list");
  if (looksLikeChat) return "dialect_chat";
  return isJsonObject(first) && first["type"] === "model" ? "dialect_messages" : undefined;
}

function readModel(entry: unknown): UpstreamListedModel | undefined {
  const model: JsonObject =
    typeof entry === "string" ? { id: entry } : isJsonObject(entry) ? entry : {};
  const id = readText(model["id"], maxIdLength);
  if (id === undefined) return undefined;
  return {
    id,
    name: readText(model["display_name"] ?? model["name"], maxNameLength),
    created: readCreated(model),
    contextWindow: readCount(model, contextWindowNames),
    maxOutputTokens: readCount(model, maxOutputTokensNames),
  };
}

function readText(value: unknown, largestLength: number): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  const usable = text !== "" && text.length <= largestLength && !/\p{Cc}/u.test(text);
  return usable ? text : undefined;
}

/** `created` of chat lists is Unix seconds, `created_at` of messages lists RFC 3339. */
function readCreated(model: JsonObject): number | undefined {
  const told = model["created_at"] ?? model["created"];
  const seconds = typeof told === "string" ? Math.floor(Date.parse(told) / 1000) : told;
  const isTime = Number.isInteger(seconds) && Number(seconds) > 0 && Number(seconds) <= lastSecond;
  return isTime ? Number(seconds) : undefined;
}

function readCount(model: JsonObject, names: readonly string[]): number | undefined {
  return names.map((name) => model[name]).find(isCount);
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= maxInt32;
}
