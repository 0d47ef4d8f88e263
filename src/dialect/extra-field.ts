import type { RequestFieldReader } from "./body-reader.ts";
import type { UnmappedRequestField } from "./neutral-request.ts";

/** A member of a request, or of an object in it, as an extra. */
export function toRequestExtraField(
  object: RequestFieldReader,
  member: string,
  value: unknown = object.value[member],
): UnmappedRequestField {
  const path = object.pathOf(member);
  const outer = object.path === "" ? undefined : object.path;
  return { name: isAmbiguous(member) ? JSON.stringify(path) : path, path, value, outer, member };
}

/** The tables of the encoders have only names whose dots lead into an object. */
function isAmbiguous(member: string): boolean {
  return member.includes(".");
}
