import type { AgentTurnProgress } from "./agent-progress.ts";

/** By item or result, which never change: each is measured once, however often a turn decides. */
const sizes = new WeakMap<object, number>();

/** Returns how many bytes of JSON the items of all steps have together, and the results of their tool calls. */
export function countAgentStepsBytes({ steps }: Pick<AgentTurnProgress, "steps">): number {
  let bytes = 0;
  for (const { output, requests, results } of steps) {
    for (const item of output) bytes += bytesOf(item);
    for (const { callName } of requests) {
      const result = results.get(callName);
      if (result !== undefined) bytes += bytesOf(result);
    }
  }
  return bytes;
}

function bytesOf(value: object): number {
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  sizes.set(value, bytes);
  return bytes;
}
