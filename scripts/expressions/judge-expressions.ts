import { check } from "recheck";
import { hasNoRepetition, withSmallCounts } from "./bounded-counts.ts";
import type { FoundExpression } from "./find-expressions.ts";

/** An expression that may stand although it is not linear, or cannot be judged. */
export interface ExpressionException {
  readonly file: string;
  /** As `FoundExpression` has it. */
  readonly text: string;
  /** What bounds the texts that it reads. */
  readonly reason: string;
}

/** Milliseconds for one expression. Most take a few hundredths of a second. */
const timeout = 60_000;

/**
 * Returns a sentence for each expression whose time may grow faster than its text and that
 * has no exception, and for each exception that nothing needs. An expression that the
 * checker cannot judge counts as not linear.
 */
export async function judgeExpressions(
  found: readonly FoundExpression[],
  exceptions: readonly ExpressionException[],
): Promise<string[]> {
  const objections: string[] = [];
  const needed = new Set<ExpressionException>();
  const judged = new Map<string, string | undefined>();
  for (const expression of found) {
    const { file, line, text, pattern, flags } = expression;
    const key = `${flags}/${pattern ?? text}`;
    if (!judged.has(key)) judged.set(key, await judge(pattern, flags));
    const fault = judged.get(key);
    if (fault === undefined) continue;
    const exception = exceptions.find((it) => it.file === file && it.text === text);
    if (exception === undefined) objections.push(`${file}:${line}: ${text} ${fault}`);
    else needed.add(exception);
  }
  const stale = exceptions.filter((exception) => !needed.has(exception));
  return [
    ...objections,
    ...stale.map(({ file, text }) => `${file}: ${text} needs no exception. Remove it.`),
  ];
}

/** Undefined: the time of a match grows with the text at most. */
async function judge(pattern: string | undefined, flags: string): Promise<string | undefined> {
  if (pattern === undefined) return "is made at run time and cannot be checked.";
  if (hasNoRepetition(pattern, flags)) return undefined;
  const result = await check(withSmallCounts(pattern), flags, { timeout });
  switch (result.status) {
    case "safe":
      return undefined;
    case "vulnerable":
      return `is ${result.complexity.summary}, for example of ${result.attack.pattern}.`;
    default:
      return `cannot be judged (${result.error.kind}). Write it more simply.`;
  }
}
