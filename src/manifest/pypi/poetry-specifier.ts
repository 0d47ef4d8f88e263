/**
 * A version of Poetry or Pipenv as PEP 440 has it: `^1.2` is `>=1.2,<2`, `~1.2`
 * is `>=1.2,<1.3`, a bare version is itself. Undefined: it cannot be said there.
 */
export function toPep440Specifier(text: string): string | undefined {
  const clauses = text.split(",").map((part) => clauseOf(part.trim()));
  if (clauses.includes(undefined)) return undefined;
  return clauses.filter((clause) => clause !== "").join(",");
}

function clauseOf(text: string): string | undefined {
  if (text === "" || text === "*") return "";
  if (/^(~=|===|==|!=|<=|>=|<|>)/.test(text)) return text.replaceAll(/\s/g, "");
  const [, sign, version] = /^([\^~]?)\s*v?(\d[\w.+!-]*(?:\.\*)?)$/.exec(text) ?? [];
  if (version === undefined) return undefined;
  if (sign === "") return `==${version}`;
  const end = sign === "^" ? nextBreaking(version) : nextMinor(version);
  return end === undefined ? undefined : `>=${version},<${end}`;
}

/** `1.2.3` is `2`, `0.2.3` is `0.3`, `0.0.3` is `0.0.4`. */
function nextBreaking(version: string): string | undefined {
  const numbers = numbersOf(version);
  const first = numbers.findIndex((number) => number > 0);
  const at = first === -1 ? numbers.length - 1 : first;
  return raise(numbers, at);
}

/** `1.2.3` and `1.2` are `1.3`, `1` is `2`. */
function nextMinor(version: string): string | undefined {
  const numbers = numbersOf(version);
  return raise(numbers, Math.min(1, numbers.length - 1));
}

function numbersOf(version: string): readonly number[] {
  return (/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? "").split(".").map(Number);
}

function raise(numbers: readonly number[], at: number): string | undefined {
  const number = numbers[at];
  if (number === undefined) return undefined;
  return [...numbers.slice(0, at), number + 1].join(".");
}
