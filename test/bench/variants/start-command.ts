import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../../", import.meta.url);

/** How a script starts Node. */
export interface StartCommand {
  /** What the script sets for it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Up to the program, without its words. */
  readonly parameters: readonly string[];
}

/** How `npm start` starts Node: the gateway is measured as it is run. */
export function startCommand(): StartCommand {
  const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
    scripts: { start: string };
  };
  const parameters = nodeParameters(scripts.start).map((word) =>
    word.startsWith("-") ? word : fileURLToPath(new URL(word, root)),
  );
  return { environment: environmentOf(scripts.start), parameters };
}

/** Of `NAME=value exec node program.js`: what stands before. */
export function environmentOf(script: string): Record<string, string> {
  const words = script.split(" ");
  const end = words.findIndex((word) => !/^\w+=/.test(word));
  return Object.fromEntries(
    words.slice(0, end).map((word) => {
      const [name = "", ...value] = word.split("=");
      return [name, value.join("=")];
    }),
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
