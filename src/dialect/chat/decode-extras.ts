import type { RequestFieldReader } from "../body-reader.ts";
import { toRequestExtraField } from "../extra-field.ts";
import type { UnmappedRequestField } from "../neutral-request.ts";
import { knownChatRequestFields } from "./wire.ts";

const streamFields = new Set(["include_usage"]);

/**
 * Members that have no neutral name. A user that is given twice is one of
 * them, and so is what the caller said although it is the default.
 */
export function decodeChatRequestExtraFields(
  body: RequestFieldReader,
): readonly UnmappedRequestField[] {
  const extras: UnmappedRequestField[] = [];
  addExtras(extras, body, knownChatRequestFields, isExtra);
  const stream = body.object("stream_options");
  if (stream !== undefined) addExtras(extras, stream, streamFields, () => true);
  return extras;
}

function addExtras(
  extras: UnmappedRequestField[],
  object: RequestFieldReader,
  known: ReadonlySet<string>,
  isTold: (object: RequestFieldReader, name: string) => boolean,
): void {
  for (const name of object.unknownNames(known)) {
    if (object.has(name) && isTold(object, name)) extras.push(toRequestExtraField(object, name));
  }
}

/** Nothing is kept unless asked for. `user` is known unless the body has its newer name, too. */
function isExtra(body: RequestFieldReader, name: string): boolean {
  if (name === "user") return body.has("safety_identifier");
  return name !== "store" || body.value["store"] !== false;
}
