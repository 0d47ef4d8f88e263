import { getOption, type DescField } from "@bufbuild/protobuf";
import {
  field as rulesOption,
  type FieldRules,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";

/** The validation rules of a field. */
export function readFieldValidationRules(field: DescField): FieldRules {
  return getOption(field, rulesOption);
}

/** The least and the greatest value that a field of whole numbers takes, as far as its rules say. */
export function readIntegerBounds(rules: FieldRules | undefined): {
  readonly least?: number;
  readonly greatest?: number;
} {
  const type = rules?.type;
  switch (type?.case) {
    case "int32":
    case "int64":
    case "uint32":
    case "uint64": {
      const { greaterThan, lessThan } = type.value;
      return {
        ...(greaterThan.case === "gte" && { least: Number(greaterThan.value) }),
        ...(greaterThan.case === "gt" && { least: Number(greaterThan.value) + 1 }),
        ...(lessThan.case === "lte" && { greatest: Number(lessThan.value) }),
        ...(lessThan.case === "lt" && { greatest: Number(lessThan.value) - 1 }),
      };
    }
    default:
      return {};
  }
}
