import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { findPresenceFlagField, readRestFieldPolicy } from "../contract/field-policy.ts";
import { readRestRules } from "../contract/rest-rule.ts";

/** Fields that the request's path names, in path order: they are the command's arguments. */
export function listRequestPathFields(method: DescMethod): DescField[] {
  const [rule] = readRestRules(method);
  const names = rule?.pathFields ?? [];
  return names.flatMap((name) => method.input.fields.find((field) => field.name === name) ?? []);
}

/** Fields that are flags: all that are neither in the path nor about other fields. */
export function listRequestFlagFields(method: DescMethod): DescField[] {
  const path = new Set(listRequestPathFields(method));
  return method.input.fields.filter(
    (field) => !path.has(field) && !isFieldMask(field) && presenceOf(field) === "",
  );
}

/** The field mask of a request that changes a row; undefined for other requests. */
export function findRequestUpdateMaskField(method: DescMethod): DescField | undefined {
  return method.input.fields.find(isFieldMask);
}

/** Whether the request can say that the field shall have no value, unlike one that is not sent. */
export function isClearableRequestField(method: DescMethod, field: DescField): boolean {
  if (findPresenceFlagField(field) !== undefined) return true;
  if (findRequestUpdateMaskField(method) === undefined) return false;
  const isCollection = field.fieldKind === "list" || field.fieldKind === "map";
  return isCollection || readRestFieldPolicy(field).clearable;
}

function presenceOf(field: DescField): string {
  return readRestFieldPolicy(field).presenceOf;
}

function isFieldMask(field: DescField): boolean {
  return field.message?.typeName === "google.protobuf.FieldMask";
}
