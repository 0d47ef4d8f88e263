import { getOption, type DescEnum, type DescEnumValue } from "@bufbuild/protobuf";
import type { FieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { value as valueOption } from "../../gen/ts/causeway/options/v1/options_pb.ts";

/** Both directions of an enum's REST spelling. */
export interface RestEnumNames {
  readonly byName: ReadonlyMap<string, number>;
  readonly byNumber: ReadonlyMap<number, string>;
  /** The spellings in declaration order, for messages and documentation. */
  readonly names: readonly string[];
}

const spellings = new WeakMap<DescEnum, RestEnumNames>();

/**
 * The REST spelling of an enum: what the value's option says, else its name
 * without the enum's prefix in lower case. The `…_UNSPECIFIED` value has none:
 * over REST a field that is not said is absent.
 */
export function getRestEnumNames(desc: DescEnum): RestEnumNames {
  const known = spellings.get(desc);
  if (known !== undefined) return known;
  const pairs = desc.values.filter((value) => !isUnspecified(value)).map(spell);
  const spelling = {
    byName: new Map(pairs),
    byNumber: new Map(pairs.map(([name, number]) => [number, name])),
    names: pairs.map(([name]) => name),
  };
  spellings.set(desc, spelling);
  return spelling;
}

/** The spellings that a field of the enum takes: all, or those that its rules list. */
export function listEnumChoices(desc: DescEnum, rules: FieldRules | undefined): readonly string[] {
  const { byNumber, names } = getRestEnumNames(desc);
  const listed = rules?.type.case === "enum" ? rules.type.value.in : [];
  return listed.length === 0 ? names : listed.flatMap((number) => byNumber.get(number) ?? []);
}

function isUnspecified(value: DescEnumValue): boolean {
  return value.number === 0 && value.name.endsWith("_UNSPECIFIED");
}

function spell(value: DescEnumValue): [name: string, number: number] {
  const { restName } = getOption(value, valueOption);
  return [restName === "" ? shortName(value) : restName, value.number];
}

function shortName(value: DescEnumValue): string {
  return value.name.toLowerCase().slice(value.parent.sharedPrefix?.length ?? 0);
}
