import { getOption, type DescField } from "@bufbuild/protobuf";
import {
  field as fieldOption,
  type FieldPolicy,
} from "../../gen/ts/causeway/options/v1/options_pb.ts";

/** How a field is spelled and treated over REST; all zero values when it has no option. */
export function readRestFieldPolicy(field: DescField): FieldPolicy {
  return getOption(field, fieldOption);
}

/** The boolean that vouches for an empty list or map, `scopes_given` for `scopes`; undefined if it has none. */
export function findPresenceFlagField(field: DescField): DescField | undefined {
  return field.parent.fields.find((it) => readRestFieldPolicy(it).presenceOf === field.name);
}
