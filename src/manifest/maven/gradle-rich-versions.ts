import type { GradleStatement } from "./gradle-code.ts";
import { foldGradleConcatenations, resolveGradleValue } from "./gradle-values.ts";

/** The calls that a block `version` may have, the strongest first. */
const words = ["strictly", "require", "prefer"] as const;

type Word = (typeof words)[number];

/**
 * Reads `call { version { strictly 'v' } }`. Returns the version by the place of the statement that
 * opens the outer block; undefined stands for a version that is computed.
 */
export function readGradleRichVersions(
  statements: readonly GradleStatement[],
  variables: ReadonlyMap<string, string>,
): ReadonlyMap<number, string | undefined> {
  const declared = new Map<number, Map<Word, string | undefined>>();
  const open: number[] = [];
  for (const [index, statement] of statements.entries()) {
    const { depth } = statement;
    open[depth] = index;
    const call = open[depth - 2];
    const block = statements[open[depth - 1] ?? -1];
    if (call === undefined || block === undefined || !/(?<!\w)version$/.test(block.plain)) continue;
    const versions = declared.get(call) ?? new Map<Word, string | undefined>();
    declared.set(call, versions);
    for (const [word, version] of declaredVersions(statement, variables))
      versions.set(word, version);
  }
  return new Map(
    [...declared].flatMap(([call, versions]) => {
      const word = words.find((each) => versions.has(each));
      return word === undefined ? [] : [[call, versions.get(word)] as const];
    }),
  );
}

function declaredVersions(
  statement: GradleStatement,
  variables: ReadonlyMap<string, string>,
): readonly (readonly [Word, string | undefined])[] {
  const { code, plain } = foldGradleConcatenations(statement, variables);
  const { 1: word, 0: start } =
    /^(?:\w{1,40}\s{0,9}->\s{0,9})?(?:\w{1,40}\.)?(strictly|require|prefer)\b[\s(]*/.exec(plain) ??
    [];
  const found = words.find((each) => each === word);
  if (found === undefined || start === undefined) return [];
  const to = plain.endsWith(")") ? plain.length - 1 : plain.length;
  const value = { code: code.slice(start.length, to), plain: plain.slice(start.length, to) };
  return [[found, resolveGradleValue(value, variables)]];
}
