import { parseArgs } from "node:util";
import { documentKinds } from "./document-kinds.ts";

/** Options of a run, from its command line. */
export interface GrowthOptions {
  readonly kinds: readonly string[];
  /** Only combinations of these dimensions; undefined: all. */
  readonly only: readonly string[] | undefined;
  readonly size: number;
  readonly everyPath: boolean;
  readonly workers: number;
  /** Which of how many equal parts of the combinations to measure, counted from 1. */
  readonly shard: readonly [number, number];
}

const kindNames = documentKinds.map(({ name }) => name);

/** The options as the command line's help lists them. */
export const usage = `npm run fuzz:growth -- [options]
  --kind <name>  only documents of this kind; may be repeated
                 (${kindNames.slice(0, 3).join(", ")},
                 ${kindNames.slice(3, 6).join(", ")},
                 ${kindNames.slice(6).join(", ")})
  --only <a,b>   only these dimensions, alone and in pairs
  --size <n>     repetitions in the small document of a pair (1000)
  --every-path   encode each pair in all three dialects, not in one of them in turn
  --workers <n>  threads (2)
  --shard <i/n>  only the i-th of n equal parts`;

/** Reads the command line. Throws with a message for the user when it does not make sense. */
export function readGrowthOptions(words: readonly string[]): GrowthOptions {
  const { values } = parseArgs({
    args: [...words],
    options: {
      kind: { type: "string", multiple: true, default: kindNames },
      only: { type: "string" },
      size: { type: "string", default: "1000" },
      "every-path": { type: "boolean", default: false },
      workers: { type: "string", default: "2" },
      shard: { type: "string", default: "1/1" },
    },
  });
  return {
    kinds: values.kind.map(kindNamed),
    only: values.only?.split(",").map(dimensionNamed),
    size: whole("size", values.size),
    everyPath: values["every-path"],
    workers: whole("workers", values.workers),
    shard: shardOf(values.shard),
  };
}

function kindNamed(name: string): string {
  if (kindNames.includes(name)) return name;
  throw new Error(`there is no kind ${name}, there are ${kindNames.join(", ")}`);
}

function dimensionNamed(name: string): string {
  if (documentKinds.some(({ dimensions }) => dimensions.includes(name))) return name;
  throw new Error(`no kind has a dimension ${name}`);
}

function whole(name: string, text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new Error(`--${name} must be a whole number from 1, not ${text}`);
}

function shardOf(text: string): readonly [number, number] {
  const [part = "", parts = ""] = text.split("/");
  const shard = [whole("shard", part), whole("shard", parts)] as const;
  if (shard[0] <= shard[1]) return shard;
  throw new Error(`--shard must be like 1/2, not ${text}`);
}
