import { parseArgs } from "node:util";
import { protocols, type Protocol } from "../generators/all-protocols.ts";
import type { CasePlace } from "./findings.ts";

/** What a run does, from its command line. */
export interface FuzzOptions {
  readonly seed: number;
  readonly requests: number;
  readonly protocols: readonly Protocol[];
  readonly concurrency: number;
  readonly workers: number;
  readonly mostKills: number;
  readonly only: CasePlace | undefined;
}

/** The options as the command line's help lists them. */
export const usage = `npm run fuzz -- [options]
  --requests <n>     cases to send (200000)
  --seed <n>         what the cases are made of; a new one unless given
  --protocol <name>  only this one; may be repeated (${protocols.join(", ")})
  --only <p:b[:i]>   only batch b of protocol p, or only case i of it
  --concurrency <n>  cases at once (24)
  --workers <n>      gateway processes (1)
  --kills <n>        give up when the server has been ended more often (25)`;

/** Reads the command line. Throws with a message for the user when it does not make sense. */
export function readOptions(words: readonly string[]): FuzzOptions {
  const { values } = parseArgs({
    args: [...words],
    options: {
      requests: { type: "string", default: "200000" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
      protocol: { type: "string", multiple: true, default: [...protocols] },
      only: { type: "string" },
      concurrency: { type: "string", default: "24" },
      workers: { type: "string", default: "1" },
      kills: { type: "string", default: "25" },
    },
  });
  return {
    seed: whole("seed", values.seed),
    requests: whole("requests", values.requests),
    protocols: values.protocol.map(protocolNamed),
    concurrency: whole("concurrency", values.concurrency),
    workers: whole("workers", values.workers),
    mostKills: whole("kills", values.kills),
    only: values.only === undefined ? undefined : placeOf(values.only),
  };
}

function whole(name: string, text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new Error(`--${name} must be a whole number, not ${text}`);
}

function protocolNamed(name: string): Protocol {
  const found = protocols.find((protocol) => protocol === name);
  if (found !== undefined) return found;
  throw new Error(`there is no protocol ${name}, there are ${protocols.join(", ")}`);
}

function placeOf(text: string): CasePlace {
  const [protocol = "", batch = "", index] = text.split(":");
  return {
    protocol: protocolNamed(protocol),
    batch: whole("only", batch),
    index: index === undefined ? undefined : whole("only", index),
  };
}
