import type { BodyReader } from "../body-reader.ts";
import type { Extra } from "../turn.ts";
import { knownFields } from "./wire.ts";

const streamFields = new Set(["include_usage"]);

/**
 * Members that have no neutral name. A cap or a user that is told twice is one
 * of them, and so is what the caller said although it is the default.
 */
export function decodeExtras(body: BodyReader): readonly Extra[] {
  const stream = body.object("stream_options");
  return [...extrasOf(body, knownFields, isExtra), ...extrasOf(stream, streamFields, () => true)];
}

function extrasOf(
  object: BodyReader | undefined,
  known: ReadonlySet<string>,
  isTold: (object: BodyReader, name: string) => boolean,
): readonly Extra[] {
  if (object === undefined) return [];
  return object
    .unknownNames(known)
    .filter((name) => object.has(name) && isTold(object, name))
    .map((name) => extraOf(object, name));
}

function extraOf(object: BodyReader, name: string): Extra {
  const path = object.pathOf(name);
  return { name: path, path, value: object.value[name] };
}

/** Nothing is kept unless asked for. `max_tokens` and `user` are known unless their newer names are there, too. */
function isExtra(body: BodyReader, name: string): boolean {
  if (name === "max_tokens") return body.has("max_completion_tokens");
  if (name === "user") return body.has("safety_identifier");
  return name !== "store" || body.value["store"] !== false;
}
