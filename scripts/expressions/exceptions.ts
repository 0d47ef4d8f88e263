import type { ExpressionException } from "./judge-expressions.ts";

/** Each says what bounds the texts that the expression reads. */
export const exceptions: readonly ExpressionException[] = [
  {
    file: "src/platform/speed/format-milliseconds.ts",
    text: String.raw`/\.?0+$/`,
    reason: "It reads a thousand texts of four characters that the file makes itself.",
  },
  {
    file: "src/transport/docs/html-headers.ts",
    text: 'new RegExp(`<${element}[^>]*>([\\\\s\\\\S]*?)</${element}>`, "g")',
    reason: "It reads pages of this repository, at start.",
  },
  {
    file: "src/transport/rest/route-table.ts",
    text: "new RegExp(`^${pattern}$`)",
    reason: "A pattern is made of a route of the contract, which has one star at most.",
  },
];
