const space = 0x20;

/** How much of a body tells whether it is an error. */
const headLength = 64;

/** First byte that is no white space (nor a control character); undefined when there is none. */
export function firstByteOf(chunks: readonly Buffer[]): number | undefined {
  for (const chunk of chunks) {
    const found = chunk.find((value) => value > space);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Last byte that is no white space; undefined when there is none. */
export function lastByteOf(chunks: readonly Buffer[]): number | undefined {
  for (const chunk of chunks.toReversed()) {
    const found = chunk.findLast((value) => value > space);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a JSON body is an error although its status says otherwise. */
export function isErrorBody(chunks: readonly Buffer[]): boolean {
  const head = chunks[0]?.toString("latin1", 0, headLength) ?? "";
  return /^\s*\{\s*(?:"type"\s*:\s*"error"|"error"\s*:\s*[{"])/.test(head);
}
