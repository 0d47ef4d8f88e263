/** The bytes of a JSON text, and the same in words of four for what can be told of four at once. */
export interface ScannedText {
  readonly bytes: Buffer;
  /** The whole words of the bytes; none where the bytes do not begin at a word of their memory. */
  readonly words: Int32Array;
}

/** Looks at the bytes in both ways; nothing is copied. */
export function scannedText(bytes: Buffer): ScannedText {
  const isAligned = (bytes.byteOffset & 3) === 0;
  const count = isAligned ? bytes.length >> 2 : 0;
  return { bytes, words: new Int32Array(bytes.buffer, isAligned ? bytes.byteOffset : 0, count) };
}
