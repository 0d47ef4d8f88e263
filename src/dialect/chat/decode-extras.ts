import type { BodyReader } from "../body-reader.ts";
import { toRequestExtraField } from "../extra-field.ts";
import type { RequestExtraField } from "../neutral-request.ts";
import { knownRequestFields } from "./wire.ts";

const streamFields = new Set(["include_usage"]);

/**
 * Members that have no neutral name. A cap or a user that is told twice is one
 * of them, and so is what the caller said although it is the default.
 */
export function decodeExtras(body: BodyReader): readonly RequestExtraField[] {
  const extras: RequestExtraField[] = [];
  addExtras(extras, body, knownRequestFields, isExtra);
  const stream = body.object("stream_options");
  if (stream !== undefined) addExtras(extras, stream, streamFields, () => true);
  return extras;
}

function addExtras(
  extras: RequestExtraField[],
  object: BodyReader,
  known: ReadonlySet<string>,
  isTold: (object: BodyReader, name: string) => boolean,
): void {
  for (const name of object.unknownNames(known)) {
    if (object.has(name) && isTold(object, name)) extras.push(toRequestExtraField(object, name));
  }
}

/** Nothing is kept unless asked for. `max_tokens` and `user` are known unless their newer names are there, too. */
function isExtra(body: BodyReader, name: string): boolean {
  if (name === "max_tokens") return body.has("max_completion_tokens");
  if (name === "user") return body.has("safety_identifier");
  return name !== "store" || body.value["store"] !== false;
}
