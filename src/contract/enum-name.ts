import type { DescEnum } from "@bufbuild/protobuf";
import type { GenEnum } from "@bufbuild/protobuf/codegenv2";
import { getRestEnumNames } from "./enum-spelling.ts";

/**
 * The number of a word. The code and the database spell what they hold as REST does; a
 * word that the contract has not is a fault of ours, and throws.
 */
export function enumNameToNumber<Value extends number>(desc: GenEnum<Value>, word: string): Value {
  const number = getRestEnumNames(desc).byName.get(word);
  if (number === undefined) throw new Error(`${desc.typeName} has no value \`${word}\``);
  return number as Value;
}

/** The word of a number; undefined for the unspecified value and for one that the contract has not. */
export function enumNumberToName(desc: DescEnum, number: number | undefined): string | undefined {
  return number === undefined ? undefined : getRestEnumNames(desc).byNumber.get(number);
}
