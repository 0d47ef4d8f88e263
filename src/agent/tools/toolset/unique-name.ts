import { trimCharacter } from "../../../platform/trim-character.ts";
/** Longest name of a function that every dialect takes. */
const maxNameLength = 64;

/** The text in letters, digits, `_` and `-`, which every dialect takes; empty when it has none of them. */
export function toToolName(text: string, longest: number = maxNameLength): string {
  const name = text
    .normalize("NFKD")
    .replaceAll(/\p{Mn}/gu, "")
    .replaceAll(/[^\w-]+/g, "_");
  return trimCharacter(name, "_").slice(0, longest);
}

/** A name like `stem` that is not taken: itself, or with `_2`, `_3`, … at its end. It is taken from then on. */
export function uniqueName(stem: string, taken: Set<string>): string {
  let name = stem.slice(0, maxNameLength);
  for (let count = 2; taken.has(name); count++) {
    const suffix = `_${count}`;
    name = stem.slice(0, maxNameLength - suffix.length) + suffix;
  }
  taken.add(name);
  return name;
}
