/** What is wrong with a JSON text that is read as it arrives. */
export type JsonStreamErrorKind = "not JSON" | "broken off" | "too large";

/** A JSON text that cannot be read on. */
export class JsonStreamError extends Error {
  readonly kind: JsonStreamErrorKind;

  constructor(kind: JsonStreamErrorKind) {
    super(`the text is ${kind}`);
    this.name = "JsonStreamError";
    this.kind = kind;
  }
}
