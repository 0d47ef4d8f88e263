import type { JsonSpan } from "../json-splice/scan-object.ts";

/**
 * `bytes` with the span replaced by `replacement`, every other byte as it was.
 *
 * Takes the buffer over: a replacement that fits is written into it and the
 * shorter side is moved up to it. Only a longer replacement makes a new buffer. The
 * answer is what to use from then on; `bytes` itself is spent. Speed:
 * docs/performance.md, `splice-bytes`.
 */
export function spliceBytesInPlace(bytes: Buffer, span: JsonSpan, replacement: string): Buffer {
  const slack = span.end - span.start - Buffer.byteLength(replacement);
  if (slack < 0) return spliceBytesIntoCopy(bytes, span, replacement);
  return span.start <= bytes.length - span.end
    ? moveHeadUp(bytes, span, replacement, slack)
    : moveTailDown(bytes, span, replacement, slack);
}

/** The same in a buffer of its own: `bytes` stay whole. */
export function spliceBytesIntoCopy(bytes: Buffer, span: JsonSpan, replacement: string): Buffer {
  const head = bytes.subarray(0, span.start);
  return Buffer.concat([head, Buffer.from(replacement), bytes.subarray(span.end)]);
}

function moveHeadUp(bytes: Buffer, span: JsonSpan, replacement: string, slack: number): Buffer {
  bytes.copyWithin(slack, 0, span.start);
  bytes.write(replacement, span.start + slack);
  return bytes.subarray(slack);
}

function moveTailDown(bytes: Buffer, span: JsonSpan, replacement: string, slack: number): Buffer {
  bytes.copyWithin(span.end - slack, span.end);
  bytes.write(replacement, span.start);
  return bytes.subarray(0, bytes.length - slack);
}
