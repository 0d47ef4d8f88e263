import type { BodyReader } from "../body-reader.ts";
import type { ExtraField } from "../neutral-request.ts";
import { knownRequestFields } from "./wire.ts";

const streamFields = new Set(["include_usage"]);

/**
 * Members that have no neutral name. A cap or a user that is told twice is one
 * of them, and so is what the caller said although it is the default.
 */
export function decodeExtras(body: BodyReader): readonly ExtraField[] {
  const extras: ExtraField[] = [];
  addExtras(extras, body, knownRequestFields, isExtra);
  const stream = body.object("stream_options");
  if (stream !== undefined) addExtras(extras, stream, streamFields, () => true);
  return extras;
}

function addExtras(
  extras: ExtraField[],
  object: BodyReader,
  known: ReadonlySet<string>,
  isTold: (object: BodyReader, name: string) => boolean,
): void {
  for (const name of object.unknownNames(known)) {
    if (object.has(name) && isTold(object, name)) extras.push(extraOf(object, name));
  }
}

function extraOf(object: BodyReader, name: string): ExtraField {
  const path = object.pathOf(name);
  return { name: path, path, value: object.value[name] };
}

/** Nothing is kept unless asked for. `max_tokens` and `user` are known unless their newer names are there, too. */
function isExtra(body: BodyReader, name: string): boolean {
  if (name === "max_tokens") return body.has("max_completion_tokens");
  if (name === "user") return body.has("safety_identifier");
  return name !== "store" || body.value["store"] !== false;
}
