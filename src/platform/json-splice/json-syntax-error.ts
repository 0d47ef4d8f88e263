/** Why bytes were refused. */
export type JsonSyntaxErrorReason = "syntax" | "encoding" | "depth" | "duplicate_key";

/** Bytes that are not one well-formed JSON object, with the place where that shows. */
export class JsonSyntaxError extends Error {
  readonly reason: JsonSyntaxErrorReason;
  /** Byte offset of the first byte that cannot be right. */
  readonly offset: number;
  /** The repeated key; only on `duplicate_key`. */
  readonly key: string | undefined;

  constructor(reason: JsonSyntaxErrorReason, offset: number, message: string, key?: string) {
    super(`${message} (byte ${offset})`);
    this.name = "JsonSyntaxError";
    this.reason = reason;
    this.offset = offset;
    this.key = key;
  }
}

/**
 * The grammar is broken at `offset`: `expected` says what could have stood
 * there. At the end of the bytes the message says that they end too early.
 */
export function unexpectedByteError(
  bytes: Buffer,
  offset: number,
  expected: string,
): JsonSyntaxError {
  const end = offset >= bytes.length ? "unexpected end, " : "";
  return new JsonSyntaxError("syntax", offset, `${end}expected ${expected}`);
}
