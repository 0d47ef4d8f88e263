import {
  parseSync,
  Visitor,
  type Argument,
  type CallExpression,
  type NewExpression,
} from "oxc-parser";

/** A regular expression in a source file. */
export interface FoundExpression {
  /** Path of the file, as it was given. */
  readonly file: string;
  readonly line: number;
  /** As the source has it: `/a+/g`, or the call that makes it of a text. */
  readonly text: string;
  /** Undefined if the expression is made at run time of a text that the source does not have. */
  readonly pattern: string | undefined;
  readonly flags: string;
}

/** Methods of a string that make an expression of a text. */
const methodsOfPatterns: ReadonlySet<string> = new Set(["match", "matchAll", "search"]);

/**
 * Finds the regular expressions of a TypeScript or JavaScript file: literals, what
 * `RegExp` is called with, and texts that `match`, `matchAll` and `search` take for
 * one. Throws if the file does not parse.
 */
export function expressionsInCode(file: string, code: string): FoundExpression[] {
  const { program, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message ?? ""}`);
  const found: FoundExpression[] = [];
  const add = (start: number, end: number, pattern: string | undefined, flags: string): void => {
    const text = code.slice(start, end).replaceAll(/\s+/g, " ");
    found.push({ file, line: lineAt(code, start), text, pattern, flags });
  };
  const addMade = (node: CallExpression | NewExpression): void => {
    const [pattern, flags] = node.arguments;
    // A copy of an expression: the literal is found by itself.
    if (pattern?.type === "Literal" && "regex" in pattern) return;
    add(node.start, node.end, textOf(pattern), textOf(flags) ?? "");
  };
  new Visitor({
    Literal(node) {
      if ("regex" in node) add(node.start, node.end, node.regex.pattern, node.regex.flags);
    },
    NewExpression(node) {
      if (nameOf(node.callee) === "RegExp") addMade(node);
    },
    CallExpression(node) {
      const name = nameOf(node.callee) ?? "";
      if (name === "RegExp") addMade(node);
      const isText = isTextNode(node.arguments[0]);
      if (methodsOfPatterns.has(name) && node.callee.type === "MemberExpression" && isText) {
        addMade(node);
      }
    },
  }).visit(program);
  return found;
}

/** Finds the patterns of the rules in a .proto file, which are checked by `RegExp` at run time. */
export function expressionsInProto(file: string, proto: string): FoundExpression[] {
  const found: FoundExpression[] = [];
  for (const rule of proto.matchAll(/\b(pattern|expression)\s*[:=]\s*"((?:[^"\\]|\\.)*)"/g)) {
    const [, kind, escaped = ""] = rule;
    const text = escaped.replaceAll(/\\(.)/g, "$1");
    const patterns = kind === "pattern" ? [text] : patternsInRule(text);
    const line = lineAt(proto, rule.index);
    found.push(...patterns.map((pattern) => ({ file, line, text: pattern, pattern, flags: "" })));
  }
  return found;
}

/** Of `this.matches(r'^a$')` in an expression of CEL. */
function patternsInRule(rule: string): string[] {
  const calls = rule.matchAll(/\bmatches\(r?(?:'([^']*)'|"([^"]*)")\)/g);
  return [...calls].map(([, single, double]) => single ?? double ?? "");
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

/** `RegExp` of `RegExp`, `globalThis.RegExp` and `text.RegExp`. */
function nameOf(callee: CallExpression["callee"]): string | undefined {
  if (callee.type === "Identifier") return callee.name;
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return undefined;
  return callee.property.name;
}

function isTextNode(node: Argument | undefined): boolean {
  if (node?.type === "Literal") return typeof node.value === "string";
  return node?.type === "TemplateLiteral" || node?.type === "TaggedTemplateExpression";
}

/** Undefined for anything but a text that stands in the source as a whole. */
function textOf(node: Argument | undefined): string | undefined {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type !== "TemplateLiteral" || node.expressions.length > 0) return undefined;
  return node.quasis[0]?.value.cooked ?? undefined;
}
