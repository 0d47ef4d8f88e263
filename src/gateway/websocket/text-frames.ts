const wholeText = 0x81;
const shortLength = 126;
const longLength = 0x1_00_00;

/** Text messages of a server, a frame each, in one piece (RFC 6455, 5.2). */
export function encodeWebSocketTextFrames(texts: readonly Buffer[]): Buffer {
  const size = texts.reduce((sum, { length }) => sum + headSize(length) + length, 0);
  const frames = Buffer.allocUnsafe(size);
  let at = 0;
  for (const text of texts) {
    at = writeHead(frames, at, text.length);
    at += text.copy(frames, at);
  }
  return frames;
}

function headSize(length: number): number {
  if (length < shortLength) return 2;
  return length < longLength ? 4 : 10;
}

/** The answer is where the payload begins. */
function writeHead(frames: Buffer, at: number, length: number): number {
  frames[at] = wholeText;
  if (length < shortLength) {
    frames[at + 1] = length;
    return at + 2;
  }
  const isLong = length >= longLength;
  frames[at + 1] = isLong ? 127 : 126;
  if (!isLong) return frames.writeUInt16BE(length, at + 2);
  return frames.writeBigUInt64BE(BigInt(length), at + 2);
}
