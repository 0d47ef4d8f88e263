/** Types of frames, RFC 9113, section 6. */
export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const flag = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;

export const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

const frameHeadBytes = 9;

/** A frame; its length is that of the payload unless another is claimed. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
  claimedLength = payload.length,
): Buffer {
  const head = Buffer.alloc(frameHeadBytes);
  head.writeUIntBE(claimedLength % 2 ** 24, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The payload of a SETTINGS frame. */
export function settings(pairs: readonly (readonly [number, number])[]): Buffer {
  return Buffer.concat(
    pairs.map(([identifier, value]) => {
      const pair = Buffer.alloc(6);
      pair.writeUInt16BE(identifier, 0);
      pair.writeUInt32BE(value, 2);
      return pair;
    }),
  );
}

/** A 32-bit number, as RST_STREAM and WINDOW_UPDATE carry it. */
export function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** A header block of literals without indexing and without Huffman codes, RFC 7541, 6.2.2. */
export function headerBlock(fields: readonly (readonly [string, string])[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]),
  );
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  return Buffer.concat([prefixedLength(bytes.length), bytes]);
}

/** An integer with a prefix of seven bits, RFC 7541, 5.1. */
function prefixedLength(length: number): Buffer {
  const most = 127;
  if (length < most) return Buffer.from([length]);
  const bytes = [most];
  let left = length - most;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  return Buffer.from([...bytes, left]);
}

/** A frame that came. */
export interface ReceivedFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** The whole frames at the beginning of what came. */
export function readFrames(bytes: Buffer): ReceivedFrame[] {
  const frames: ReceivedFrame[] = [];
  for (let at = 0; at + frameHeadBytes <= bytes.length;) {
    const end = at + frameHeadBytes + bytes.readUIntBE(at, 3);
    if (end > bytes.length) break;
    frames.push({
      type: bytes.readUInt8(at + 3),
      flags: bytes.readUInt8(at + 4),
      stream: bytes.readUInt32BE(at + 5),
      payload: bytes.subarray(at + frameHeadBytes, end),
    });
    at = end;
  }
  return frames;
}

/** Statuses that have an entry in the static table, from its eighth on. */
const tableStatuses = [200, 204, 206, 304, 400, 404, 500];

/** Huffman codes of the digits, RFC 7541, appendix B, as bits: three of five, then seven of six. */
const digitCodes = Array.from({ length: 10 }, (_, digit) =>
  digit < 3 ? digit.toString(2).padStart(5, "0") : (digit + 22).toString(2).padStart(6, "0"),
);

/**
 * The status of an answer's header block, which begins with it. Undefined for trailers, and for
 * what is taken from a dynamic table: a client that wants statuses asks for a table of size 0.
 */
export function statusOf(block: Buffer): number | undefined {
  let at = 0;
  // Updates of the table's size come first.
  while (((block[at] ?? 0) & 0xe0) === 0x20) at += 1;
  const first = block[at] ?? 0;
  if (first >= 0x88 && first <= 0x8e) return tableStatuses[first - 0x88];
  const isLiteral = [0x08, 0x18, 0x48].includes(first);
  if (!isLiteral) return undefined;
  const length = block[at + 1] ?? 0;
  const value = block.subarray(at + 2, at + 2 + (length & 0x7f));
  return Number(length >= 0x80 ? digits(value) : value.toString("latin1"));
}

function digits(bytes: Buffer): string {
  let bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  let text = "";
  for (;;) {
    const digit = digitCodes.findIndex((code) => bits.startsWith(code));
    if (digit === -1) return text;
    text += digit;
    bits = bits.slice(digitCodes[digit]?.length);
  }
}
