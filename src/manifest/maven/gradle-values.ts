import type { GradleCode } from "./gradle-code.ts";

type Variables = ReadonlyMap<string, string>;

/** A text in quotes within code. */
export interface GradleStringLiteral {
  readonly text: string;
  /** Whether the program changes it, as `+` and `.replace` do. */
  readonly isComputed: boolean;
}

const sums =
  /(?<![\w.])(?:["']|[A-Za-z_][\w.]*)\s*(?:\+\s*(?:["']|[A-Za-z_][\w.]*)\s*)+(?![\w.([{?!])/g;

/** Returns the code with one text in place of each sum of texts and known variables. */
export function foldGradleConcatenations(
  { code, plain }: GradleCode,
  variables: Variables,
): GradleCode {
  if (!plain.includes("+")) return { code, plain };
  const folded = { code: "", plain: "" };
  let last = 0;
  for (const { 0: sum, index } of plain.matchAll(sums)) {
    const to = index + sum.length;
    const text = sumOf({ code: code.slice(index, to), plain: sum }, variables);
    if (text === undefined) continue;
    folded.code += `${code.slice(last, index)}"${text}" `;
    folded.plain += `${plain.slice(last, index)}"${" ".repeat(text.length + 2)}`;
    last = to;
  }
  return { code: folded.code + code.slice(last), plain: folded.plain + plain.slice(last) };
}

function sumOf({ code, plain }: GradleCode, variables: Variables): string | undefined {
  let sum = "";
  let from = 0;
  for (const operand of plain.split("+")) {
    const to = from + operand.length;
    const value = resolveGradleValue({ code: code.slice(from, to), plain: operand }, variables);
    if (value === undefined) return undefined;
    sum += value;
    from = to + 1;
  }
  return sum;
}

/** Returns the value of a text or of a known variable, and undefined for any other expression. */
export function resolveGradleValue(
  { code, plain }: GradleCode,
  variables: Variables,
): string | undefined {
  const word = plain.trim();
  if (/^["']$/.test(word)) return contentOf(code.trim());
  const [, name] = /^(?:(?:rootProject|project|ext|extra)\.){0,4}([A-Za-z_]\w*)$/.exec(word) ?? [];
  return name === undefined ? undefined : variables.get(name);
}

/** Returns the content of the quotes; undefined if escapes or other texts are in it. */
function contentOf(quoted: string): string | undefined {
  const [, quotes = "'"] = /^("""|'''|["'])/.exec(quoted) ?? [];
  const content = quoted.slice(quotes.length, -quotes.length);
  return /["'\\]/.test(content) ? undefined : content;
}

/** The texts within code. */
export function findGradleStringLiterals({
  code,
  plain,
}: GradleCode): readonly GradleStringLiteral[] {
  return [...plain.matchAll(/["'] */g)].map(({ 0: token, index }) => {
    const to = index + token.length;
    const isChanged =
      /[+\-*/%.]$/.test(plain.slice(Math.max(0, index - 100), index).trimEnd()) ||
      /^(?:[+\-*/%<]|\??\.(?!(?:toString|trim)\(\)))/.test(plain.slice(to, to + 100).trimStart());
    const text = contentOf(code.slice(index, to).trim());
    return { text: text ?? "", isComputed: text === undefined || isChanged };
  });
}
