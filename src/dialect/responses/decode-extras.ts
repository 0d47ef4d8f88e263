import type { RequestFieldReader } from "../body-reader.ts";
import { toRequestExtraField } from "../extra-field.ts";
import type { UnmappedRequestField } from "../neutral-request.ts";
import { decodeResponsesLogprobControl, translatedIncludes } from "./decode-controls.ts";
import { knownResponsesRequestFields } from "./wire.ts";

const reasoningFields = new Set(["effort", "summary", "generate_summary"]);
const textFields = new Set(["format", "verbosity"]);
const noFields: ReadonlySet<string> = new Set();

/** What the neutral turn has no name for, in the order of the body; `null` says nothing. */
export function decodeResponsesRequestExtraFields(
  body: RequestFieldReader,
): readonly UnmappedRequestField[] {
  return [
    ...extrasOf(body, knownResponsesRequestFields).filter((extra) => !isDefault(extra)),
    ...extrasOf(body.object("reasoning"), reasoningFields),
    ...extrasOf(body.object("text"), textFields),
    ...extrasOf(body.object("stream_options"), noFields),
    ...otherIncludes(body),
    ...otherUser(body),
    ...unrequestedLogprobs(body),
  ];
}

/** `disabled` is what happens anyway. */
function isDefault({ name, value }: UnmappedRequestField): boolean {
  return name === "truncation" && value === "disabled";
}

function extrasOf(
  object: RequestFieldReader | undefined,
  known: ReadonlySet<string>,
): readonly UnmappedRequestField[] {
  if (object === undefined) return [];
  return object
    .unknownNames(known)
    .filter((name) => object.has(name))
    .map((name) => toRequestExtraField(object, name));
}

/** What `include` asks of the vendor's own tools. */
function otherIncludes(body: RequestFieldReader): readonly UnmappedRequestField[] {
  const others = (body.array("include") ?? []).filter((entry) => !translatedIncludes.has(entry));
  return others.length === 0 ? [] : [toRequestExtraField(body, "include", others)];
}

/** The turn has one user; both names were sent. */
function otherUser(body: RequestFieldReader): readonly UnmappedRequestField[] {
  return body.has("user") && body.has("safety_identifier")
    ? [toRequestExtraField(body, "user")]
    : [];
}

/** Alternatives without an entry of `include` that asks for probabilities. */
function unrequestedLogprobs(body: RequestFieldReader): readonly UnmappedRequestField[] {
  const value = body.value["top_logprobs"];
  const isUnasked =
    decodeResponsesLogprobControl(body) === undefined && body.has("top_logprobs") && value !== 0;
  return isUnasked ? [toRequestExtraField(body, "top_logprobs")] : [];
}
