import { countJsonValues } from "./json-splice/count-values.ts";

/** Memory of a parsed JSON value without its text, about. */
const valueBytes = 100;

/** Memory of so many JSON values and their text, about. */
export function estimateParsedJsonBytes(textBytes: number, values: number): number {
  return textBytes + values * valueBytes;
}

/** Memory that a value takes which can be printed as JSON, about. */
export function estimateJsonValueBytes(value: unknown): number {
  const text = Buffer.from(JSON.stringify(value));
  return estimateParsedJsonBytes(text.length, countJsonValues(text, Number.MAX_SAFE_INTEGER));
}
