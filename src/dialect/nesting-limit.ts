import { maxJsonDepth } from "../platform/json-splice/end-of-value.ts";
import { findJsonTextStringEnd } from "./parse-exact.ts";

/** Whether a JSON text, which need not be valid, nests deeper than is parsed. */
export function exceedsMaxJsonDepth(text: string): boolean {
  // A level takes a character.
  if (text.length <= maxJsonDepth) return false;
  let levels = 0;
  for (let at = 0; at < text.length && levels <= maxJsonDepth; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = findJsonTextStringEnd(text, at);
    else if (code === openBrace || code === openBracket) levels += 1;
    else if (code === closeBrace || code === closeBracket) levels -= 1;
  }
  return levels > maxJsonDepth;
}

const quote = 0x22;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
