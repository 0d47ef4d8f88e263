import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../../", import.meta.url);

/**
 * What Node is given by `npm start`, up to the program and without its words:
 * the gateway is measured with the flags that it is run with.
 */
export function startParameters(): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
    scripts: { start: string };
  };
  return nodeParameters(scripts.start).map((word) =>
    word.startsWith("-") ? word : fileURLToPath(new URL(word, root)),
  );
}

/** Of `exec node --flag program.js words`: `--flag` and `program.js`. */
export function nodeParameters(script: string): string[] {
  const words = script.split(" ");
  const node = words.indexOf("node");
  const program = words.findIndex((word, index) => index > node && !word.startsWith("-"));
  if (node < 0 || program < 0) throw new Error(`\`npm start\` does not start Node: ${script}`);
  return words.slice(node + 1, program + 1);
}
