const space = 0x20;

/** How much of a body tells whether it is an error. */
const headLength = 64;

/** First byte that is no white space (nor a control character); undefined when there is none. */
export function firstNonBlankByte(bytes: Buffer): number | undefined {
  return bytes.find((value) => value > space);
}

/** Last byte that is no white space; undefined when there is none. */
export function lastNonBlankByte(bytes: Buffer): number | undefined {
  return bytes.findLast((value) => value > space);
}

/** Whether a JSON body is an error although its status says otherwise. */
export function isErrorShapedJsonBody(bytes: Buffer): boolean {
  const head = bytes.toString("latin1", 0, headLength);
  return /^\s*\{\s*(?:"type"\s*:\s*"error"|"error"\s*:\s*[{"])/.test(head);
}
