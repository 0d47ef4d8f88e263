import { parseSync, Visitor, type CallExpression } from "oxc-parser";
import type { TextKind } from "./patterns.ts";

/** A piece of prose in a file. */
export interface FoundText {
  readonly kind: TextKind;
  /** 1 for the first line. */
  readonly line: number;
  /** Without code spans and code blocks; a line break is a space. */
  readonly text: string;
}

/** Functions of Vitest that take a title. */
const titledCalls: ReadonlySet<string> = new Set(["describe", "it", "test"]);

/** Finds comments, test titles and texts with a space in a TypeScript file. Throws if the file does not parse. */
export function textsInCode(file: string, code: string): FoundText[] {
  const { program, comments, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message ?? ""}`);
  const lineOf = lineFinder(code);
  const found: FoundText[] = comments.map(({ value, start }) => ({
    kind: value.startsWith("*") ? "doc comment" : "comment",
    line: lineOf(start),
    text: withoutCode(value.replaceAll(/^\s*\*+/gm, "")),
  }));
  const titles = new Set<number>();
  const add = (kind: TextKind, start: number, text: string): void => {
    if (text.includes(" ")) found.push({ kind, line: lineOf(start), text: withoutCode(text) });
  };
  new Visitor({
    CallExpression(node) {
      const [title] = node.arguments;
      if (!isTitled(node) || title?.type !== "Literal") return;
      titles.add(title.start);
      add("title", title.start, withoutIds(String(title.value)));
    },
    Literal({ value, start }) {
      if (typeof value === "string" && !titles.has(start)) add("string", start, value);
    },
    TemplateElement({ value, start }) {
      add("string", start, value.cooked ?? value.raw);
    },
  }).visit(program);
  return found;
}

/** Finds the paragraphs of a Markdown page, and the comments of a .proto file. */
export function textsInLines(file: string, content: string): FoundText[] {
  const isPage = file.endsWith(".md");
  const prose = isPage ? content.replaceAll(/^```[\s\S]*?^```/gm, blank) : content;
  return prose.split("\n").flatMap((line, index): FoundText[] => {
    const text = isPage ? line : (/\/\/(.*)/.exec(line)?.[1] ?? "");
    return text.trim() === "" ? [] : [{ kind: "page", line: index + 1, text: withoutCode(text) }];
  });
}

function blank(block: string): string {
  return block.replaceAll(/[^\n]/g, "");
}

function withoutCode(text: string): string {
  return text
    .replaceAll(/`[^`]*`/g, "`")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Ids of requirements stand at the beginning of a title. */
function withoutIds(title: string): string {
  return title.replace(/^(?:\[[\w.-]+\] ?)+/, "");
}

/** `it("…")`, `it.each(…)("…")`, `describe.skipIf(…)("…")`. */
function isTitled({ callee }: CallExpression): boolean {
  let node: typeof callee = callee;
  for (;;) {
    if (node.type === "Identifier") return titledCalls.has(node.name);
    if (node.type === "CallExpression") node = node.callee;
    else if (node.type === "MemberExpression") node = node.object;
    else return false;
  }
}

function lineFinder(code: string): (offset: number) => number {
  const starts = [0, ...[...code.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    const next = starts.findIndex((start) => start > offset);
    return next === -1 ? starts.length : next;
  };
}
