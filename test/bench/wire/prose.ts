/** Ordinary text: a JSON escape every eighty bytes or so, which is what a scan of a body meets. */
const paragraph =
  "A causeway is a raised road across low or wet ground, kept above the water by stones and timber.\n" +
  "Stones were carried from the quarry on carts; the path was laid in three summers, and has held since.\n" +
  'The guide said "mind the tide", so we waited on the near bank until the poles stood dry again, ' +
  "and reached the other side with an hour to spare; nobody had hurried, and nobody was wet.\n";

/**
 * A text that `build` makes of plain prose, of at most `bytes` bytes and hardly
 * less (UTF-8, JSON escapes included): a body of a wanted size with ordinary content.
 */
export function fitProse(bytes: number, build: (prose: string) => string): string {
  const prose = paragraph.repeat(Math.ceil(bytes / paragraph.length));
  let length = bytes;
  let text = build(prose.slice(0, length));
  while (Buffer.byteLength(text) > bytes) {
    length -= Buffer.byteLength(text) - bytes;
    if (length < 0) throw new Error(`a body of ${bytes} bytes is too small for its frame`);
    text = build(prose.slice(0, length));
  }
  return text;
}

/** Cuts prose into the turns of a conversation of about 2 KB each. */
export function turnsOf(prose: string): { role: "user" | "assistant"; content: string }[] {
  const count = Math.max(1, Math.floor(prose.length / 2048)) | 1;
  const size = Math.ceil(prose.length / count);
  return Array.from({ length: count }, (_, turn) => ({
    role: turn % 2 === 0 ? "user" : "assistant",
    content: prose.slice(turn * size, (turn + 1) * size),
  }));
}
