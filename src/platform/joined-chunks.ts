/** Pieces of a body as one; what came in one piece is that piece. */
export function joinedChunks(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}
