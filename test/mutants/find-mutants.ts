import { parseSync, Visitor, type Expression, type Node } from "oxc-parser";

/** One small fault that can be put into a source file. */
export interface Mutant {
  /** Path of the file, as it was given. */
  readonly file: string;
  readonly line: number;
  /** Where the expression that it replaces begins and ends, in characters. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** The code runs when the file is loaded, and not when a function of it is called. */
  readonly atLoad: boolean;
}

const swappedOperators: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "&&": "||",
  "||": "&&",
  "??": "&&",
};

/**
 * Finds the mutants of a TypeScript file: swapped operators, conditions that are always
 * or never met, literals of another value, empty lists, and calls that are left out.
 * Texts with a space are left alone, because no test may pin a sentence. Throws if the
 * file does not parse.
 */
export function findMutants(file: string, code: string): Mutant[] {
  const { program, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message ?? ""}`);
  const found: Mutant[] = [];
  let functions = 0;
  let types = 0;
  const names = new Set<number>();
  const add = ({ start, end }: Node, replacement: string): void => {
    if (types > 0 || names.has(start)) return;
    const line = code.slice(0, start).split("\n").length;
    found.push({ file, line, start, end, replacement, atLoad: functions === 0 });
  };
  const textOf = ({ start, end }: Node): string => code.slice(start, end);
  const swap = (node: Node & { left: Node; right: Node; operator: string }): void => {
    const operator = swappedOperators[node.operator];
    if (operator === undefined) return;
    // An operator binds as the other does only between brackets.
    add(node, `((${textOf(node.left)}) ${operator} (${textOf(node.right)}))`);
  };
  const force = (test: Expression): void => {
    add(test, "true");
    add(test, "false");
  };
  const enter = (): void => void functions++;
  const leave = (): void => void functions--;
  const enterType = (): void => void types++;
  const leaveType = (): void => void types--;
  const skipName = ({ key, computed }: { key: Node; computed: boolean }): void => {
    if (!computed) names.add(key.start);
  };
  new Visitor({
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    TSTypeAnnotation: enterType,
    "TSTypeAnnotation:exit": leaveType,
    TSTypeParameterInstantiation: enterType,
    "TSTypeParameterInstantiation:exit": leaveType,
    TSTypeAliasDeclaration: enterType,
    "TSTypeAliasDeclaration:exit": leaveType,
    TSInterfaceDeclaration: enterType,
    "TSInterfaceDeclaration:exit": leaveType,
    TSLiteralType: enterType,
    "TSLiteralType:exit": leaveType,
    ImportDeclaration: ({ source }) => void names.add(source.start),
    ImportExpression: ({ source }) => void names.add(source.start),
    ExportAllDeclaration: ({ source }) => void names.add(source.start),
    ExportNamedDeclaration: ({ source }) => void (source && names.add(source.start)),
    Property: skipName,
    PropertyDefinition: skipName,
    MethodDefinition: skipName,
    BinaryExpression: swap,
    LogicalExpression: swap,
    IfStatement: ({ test }) => force(test),
    ConditionalExpression: ({ test }) => force(test),
    ArrayExpression(node) {
      if (node.elements.length > 0) add(node, "[]");
    },
    ExpressionStatement({ expression }) {
      const call = expression.type === "AwaitExpression" ? expression.argument : expression;
      if (call.type !== "CallExpression" || call.callee.type === "Super") return;
      add(expression, "void 0");
    },
    Literal(node) {
      if (typeof node.value === "boolean") add(node, String(!node.value));
      if (typeof node.value === "number") add(node, `(${node.raw ?? ""} + 1)`);
      if (typeof node.value === "string" && !/\s/.test(node.value)) {
        add(node, node.value === "" ? '"mutant"' : '""');
      }
    },
  }).visit(program);
  return found;
}

/** The code with this mutant in it. */
export function putIn({ start, end, replacement }: Mutant, code: string): string {
  return code.slice(0, start) + replacement + code.slice(end);
}
