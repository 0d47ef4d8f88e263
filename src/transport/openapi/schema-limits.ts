import { isFieldSet } from "@bufbuild/protobuf";
import {
  MapRulesSchema,
  RepeatedRulesSchema,
  StringRulesSchema,
  type FieldRules,
  type MapRules,
  type RepeatedRules,
  type StringRules,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import type { OpenApiSchema } from "./document-types.ts";

/** Limits of a single value: of a scalar field, or of the items of a list or map. */
export function buildValueLimitSchema(rules: FieldRules | undefined): OpenApiSchema {
  const type = rules?.type;
  switch (type?.case) {
    case "string":
      return stringLimits(type.value);
    case "int32":
    case "int64":
    case "uint32":
    case "uint64":
    case "float":
    case "double":
      return rangeLimits(type.value);
    default:
      return {};
  }
}

function stringLimits(rules: StringRules): OpenApiSchema {
  const { field } = StringRulesSchema;
  return {
    ...(isFieldSet(rules, field.minLen) && { minLength: Number(rules.minLen) }),
    ...(isFieldSet(rules, field.maxLen) && { maxLength: Number(rules.maxLen) }),
    ...(isFieldSet(rules, field.pattern) && { pattern: rules.pattern }),
  };
}

interface RangeRules {
  readonly greaterThan: Bound<"gt" | "gte">;
  readonly lessThan: Bound<"lt" | "lte">;
}

type Bound<Case extends string> =
  | { readonly case: Case; readonly value: number | bigint }
  | { readonly case: undefined };

function rangeLimits({ greaterThan, lessThan }: RangeRules): OpenApiSchema {
  return {
    ...(greaterThan.case === "gt" && { exclusiveMinimum: Number(greaterThan.value) }),
    ...(greaterThan.case === "gte" && { minimum: Number(greaterThan.value) }),
    ...(lessThan.case === "lt" && { exclusiveMaximum: Number(lessThan.value) }),
    ...(lessThan.case === "lte" && { maximum: Number(lessThan.value) }),
  };
}

/** Limits of a list as a whole. */
export function buildArraySizeSchema(rules: RepeatedRules | undefined): OpenApiSchema {
  if (rules === undefined) return {};
  const { field } = RepeatedRulesSchema;
  return {
    ...(isFieldSet(rules, field.minItems) && { minItems: Number(rules.minItems) }),
    ...(isFieldSet(rules, field.maxItems) && { maxItems: Number(rules.maxItems) }),
    ...(rules.unique && { uniqueItems: true }),
  };
}

/** Limits of a map as a whole, those of its keys included. */
export function buildMapLimitSchema(rules: MapRules | undefined): OpenApiSchema {
  if (rules === undefined) return {};
  const { field } = MapRulesSchema;
  const propertyNames = buildValueLimitSchema(rules.keys);
  return {
    ...(isFieldSet(rules, field.minPairs) && { minProperties: Number(rules.minPairs) }),
    ...(isFieldSet(rules, field.maxPairs) && { maxProperties: Number(rules.maxPairs) }),
    ...(Object.keys(propertyNames).length > 0 && { propertyNames }),
  };
}
