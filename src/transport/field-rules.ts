import { getOption, type DescField } from "@bufbuild/protobuf";
import {
  field as rulesOption,
  type FieldRules,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";

/** The validation rules of a field. */
export function rulesOf(field: DescField): FieldRules {
  return getOption(field, rulesOption);
}
