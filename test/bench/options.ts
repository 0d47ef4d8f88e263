import { parseArgs } from "node:util";
import type { Settings } from "./cases/case.ts";

/** What a run does, from its command line. */
export interface Options {
  readonly settings: Settings;
  /** Names of the cases to run; empty: all. */
  readonly cases: readonly string[];
  /** Names of the variants to run; empty: all. */
  readonly variants: readonly string[];
}

/** The options as the command line's help lists them. */
export const usage = `npm run bench -- [options]
  --quick            2 rounds, 500 requests, short windows: does everything work?
                     Too short for figures: compilers have not finished.
  --rounds <n>       turns of every variant in each case (9)
  --requests <n>     requests of a turn (3000)
  --streams <n>      streams side by side (100)
  --window <ms>      length of a turn of streams and of constant arrival (2000)
  --case <name>      only this case; may be repeated
  --variant <name>   only this variant; may be repeated`;

const ordinary: Settings = {
  rounds: 9,
  requests: 3000,
  warmUpCalls: 15_000,
  streams: 100,
  windowMs: 2000,
  caseLimitMs: 110_000,
};
const quick: Settings = {
  rounds: 2,
  requests: 500,
  warmUpCalls: 500,
  streams: 20,
  windowMs: 300,
  caseLimitMs: 10_000,
};

/** Reads the command line. Throws with a message for the user when it does not make sense. */
export function readOptions(words: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...words],
    options: {
      quick: { type: "boolean", default: false },
      rounds: { type: "string" },
      requests: { type: "string" },
      streams: { type: "string" },
      window: { type: "string" },
      case: { type: "string", multiple: true, default: [] },
      variant: { type: "string", multiple: true, default: [] },
    },
  });
  const base = values.quick ? quick : ordinary;
  return {
    settings: {
      ...base,
      rounds: positive("rounds", values.rounds, base.rounds, 100),
      requests: positive("requests", values.requests, base.requests, 1_000_000),
      streams: positive("streams", values.streams, base.streams, 2000),
      windowMs: positive("window", values.window, base.windowMs, 10_000),
    },
    cases: values.case,
    variants: values.variant,
  };
}

function positive(name: string, text: string | undefined, normal: number, most: number): number {
  if (text === undefined) return normal;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new Error(`--${name} must be an integer from 1 to ${most}, not ${text}`);
}

/**
 * The items that the command line names, in their own order; all when it names
 * none. Throws on a name that there is not.
 */
export function chosen<Item extends { readonly name: string }>(
  kind: string,
  items: readonly Item[],
  names: readonly string[],
): readonly Item[] {
  const unknown = names.find((name) => items.every((item) => item.name !== name));
  if (unknown !== undefined) {
    const known = items.map((item) => item.name).join(", ");
    throw new Error(`there is no ${kind} ${unknown}, there are ${known}`);
  }
  return names.length === 0 ? items : items.filter((item) => names.includes(item.name));
}
