import type { JsonObject } from "../../dialect/json.ts";
import { locateNamedMemberSpans } from "./read-call-body.ts";

/**
 * The bytes of a body with the values of `members` in the place of its own, all
 * else as it was; a member that it has not stands at its end. The body has members,
 * and the given bytes stay whole. Throws 400 for one of them that is given twice.
 */
export function replaceJsonMembers(bytes: Buffer, members: JsonObject): Buffer {
  const names = Object.keys(members);
  if (names.length === 0) return bytes;
  const spans = locateNamedMemberSpans(bytes, names);
  const edits = names
    .map((name, index) => editOf(bytes, name, members[name], spans[index]))
    .toSorted((one, other) => one.start - other.start);
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { start, end, text } of edits) {
    pieces.push(bytes.subarray(from, start), Buffer.from(text));
    from = end;
  }
  return Buffer.concat([...pieces, bytes.subarray(from)]);
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function editOf(
  bytes: Buffer,
  name: string,
  value: unknown,
  span: { readonly start: number; readonly end: number } | undefined,
): Edit {
  const text = JSON.stringify(value);
  if (span !== undefined) return { ...span, text };
  const end = bytes.lastIndexOf("}");
  return { start: end, end, text: `,${JSON.stringify(name)}:${text}` };
}
