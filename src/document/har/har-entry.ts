import { isJsonObject, type JsonObject } from "../../platform/json-value.ts";
import { InvalidHarError } from "./capture-error.ts";

/** One exchange of a HAR 1.2 capture, as far as it is looked at. */
export interface HarEntry {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly request: JsonObject;
  readonly response: JsonObject;
  /** The whole entry, by which equal ones are known. */
  readonly content: JsonObject;
}

/** How deep the HAR itself may nest; bodies are strings in it. */
const maximumDepth = 64;

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

/** The entries of a HAR 1.2 object in UTF-8. Throws `InvalidHarError` for anything else, whole. */
export function readHarEntries(capture: Uint8Array): HarEntry[] {
  const har = parse(capture);
  if (isDeeperThan(har, maximumDepth)) {
    throw new InvalidHarError("log", `The HAR nests deeper than ${maximumDepth} levels.`);
  }
  const log = memberOf(har, "log", "log");
  const { entries } = log;
  if (!Array.isArray(entries)) throw missing("log.entries", "an array of entries");
  return entries.map((entry, index) => readEntry(entry, `log.entries[${index}]`));
}

function parse(capture: Uint8Array): unknown {
  try {
    return JSON.parse(strictUtf8.decode(capture));
  } catch {
    // The parser's own message quotes the text.
    throw new InvalidHarError("log", "The body is not valid JSON in UTF-8; send a HAR 1.2 object.");
  }
}

function readEntry(entry: unknown, path: string): HarEntry {
  if (!isJsonObject(entry)) throw missing(path, "an object");
  const request = memberOf(entry, "request", `${path}.request`);
  const response = memberOf(entry, "response", `${path}.response`);
  const { method, url } = request;
  const { status } = response;
  if (typeof method !== "string" || method === "") {
    throw missing(`${path}.request.method`, "the request's method");
  }
  if (typeof url !== "string") throw missing(`${path}.request.url`, "the request's address");
  if (typeof status !== "number" || !Number.isInteger(status)) {
    throw missing(`${path}.response.status`, "the answer's status, an integer");
  }
  return { method, url, status, request, response, content: entry };
}

function memberOf(parent: unknown, name: string, path: string): JsonObject {
  const member = isJsonObject(parent) ? parent[name] : undefined;
  if (!isJsonObject(member)) throw missing(path, "an object");
  return member;
}

function missing(path: string, what: string): InvalidHarError {
  return new InvalidHarError(path, `\`${path}\` must be ${what}, as HAR 1.2 has it.`);
}

function isDeeperThan(json: unknown, levels: number): boolean {
  if (typeof json !== "object" || json === null) return false;
  if (levels === 0) return true;
  for (const member of Object.values(json)) {
    if (isDeeperThan(member, levels - 1)) return true;
  }
  return false;
}
