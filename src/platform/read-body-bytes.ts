/** A body has more bytes than its reader takes. */
export class BodyTooLargeError extends Error {
  override readonly name = "BodyTooLarge";

  constructor(maxBytes: number) {
    super(`sent a body of more than ${maxBytes} bytes`);
  }
}

/** Reads a body to its end. Rejects with `BodyTooLarge` without reading the rest. */
export async function readBodyBytesOrThrow(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new BodyTooLargeError(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
