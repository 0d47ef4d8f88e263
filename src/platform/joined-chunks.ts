/** Pieces of a body as one; most bodies come in one piece, which is not copied. */
export function joinedChunks(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}
