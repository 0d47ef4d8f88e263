import { getOption, type DescEnum, type DescEnumValue } from "@bufbuild/protobuf";
import { value as valuePolicy } from "../../gen/ts/causeway/options/v1/options_pb.ts";

/** The words of an enum as REST spells them. The unspecified value has none. */
export function enumWords(desc: DescEnum): string[] {
  return desc.values.filter(({ number }) => number !== 0).map(wordOf);
}

/** The proto name that a word stands for; undefined for a word that the enum does not have. */
export function enumName(desc: DescEnum, word: string): string | undefined {
  return desc.values.find((value) => value.number !== 0 && wordOf(value) === word)?.name;
}

/** The word of a value by its proto name; undefined for the unspecified value and unknown names. */
export function enumWord(desc: DescEnum, name: string): string | undefined {
  const value = desc.values.find((candidate) => candidate.name === name);
  return value === undefined || value.number === 0 ? undefined : wordOf(value);
}

function wordOf(value: DescEnumValue): string {
  const { restName } = getOption(value, valuePolicy);
  if (restName !== "") return restName;
  return value.name.slice((value.parent.sharedPrefix ?? "").length).toLowerCase();
}
