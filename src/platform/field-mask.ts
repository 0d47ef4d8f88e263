import {
  isFieldSet,
  type DescField,
  type DescMessage,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { FieldMask } from "@bufbuild/protobuf/wkt";
import { invalidRequestError } from "./errors.ts";

/**
 * Names, as the proto spells them, of the fields that a PATCH request changes: those of its
 * mask, which REST fills from the keys of the body, and without a mask every field that is
 * set. `fixed` names the fields that say what is changed rather than how, `parts` those
 * objects whose members may be named one by one, as `budget.window`. Throws 400 with
 * `param` for a mask that names anything else.
 */
export function readFieldMaskPaths<Desc extends DescMessage>(
  schema: Desc,
  request: MessageShape<Desc> & { readonly updateMask?: FieldMask | undefined },
  fixed: readonly string[],
  parts: readonly string[] = [],
): ReadonlySet<string> {
  const changeable = schema.fields.filter(
    ({ name }) => name !== "update_mask" && !fixed.includes(name),
  );
  if (request.updateMask === undefined) {
    const set = changeable.filter((field) => isFieldSet(request, field));
    return new Set(set.map(({ name }) => name));
  }
  const members = changeable.filter(({ name }) => parts.includes(name)).flatMap(memberPaths);
  const known = new Set([...changeable.map(({ name }) => name), ...members]);
  const unknown = request.updateMask.paths.find((path) => !known.has(path));
  if (unknown !== undefined) {
    throw invalidRequestError(
      "update_mask",
      `\`update_mask\` names \`${unknown}\`, which cannot be changed.`,
    );
  }
  return new Set(request.updateMask.paths);
}

function memberPaths({ name, message }: DescField): string[] {
  return (message?.fields ?? []).map((member) => `${name}.${member.name}`);
}
