import { parseArgs } from "node:util";

/** A whole number of the command line, and what it is when it is not given. */
export interface NumberOption {
  readonly otherwise: number;
  readonly most: number;
}

/** Reads `--name <number>` for each name. Throws with a message for the user when it does not make sense. */
export function readNumbers<Name extends string>(
  words: readonly string[],
  options: Readonly<Record<Name, NumberOption>>,
): Record<Name, number> {
  const names = Object.keys(options) as Name[];
  const { values } = parseArgs({
    args: [...words],
    options: Object.fromEntries(names.map((name) => [name, { type: "string" as const }])),
  });
  const entries = names.map((name) => [name, read(name, values[name], options[name])]);
  return Object.fromEntries(entries) as Record<Name, number>;
}

function read(name: string, text: string | undefined, { otherwise, most }: NumberOption): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new Error(`--${name} must be a whole number from 1 to ${most}, not ${text}`);
}
