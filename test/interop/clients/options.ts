import { parseArgs } from "node:util";

/** What a run does, from its command line. */
export interface Options {
  /** Names of the clients, or parts of them; empty: all. */
  readonly clients: readonly string[];
}

/** The options as the command line's help lists them. */
export const usage = `npm run clients -- [options]
  --client <text>   only clients with this in their name; may be repeated.
                    The table of docs/clients.md is written by runs of all clients alone.`;

/** Reads the command line. Throws with a message for the user when it does not make sense. */
export function readOptions(words: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...words],
    options: { client: { type: "string", multiple: true, default: [] } },
  });
  return { clients: values.client };
}
