/** What is wrong with a JSON text that is read as it arrives. */
export type JsonStreamFaultKind = "not JSON" | "broken off" | "too large";

/** A JSON text that cannot be read on. */
export class JsonStreamFault extends Error {
  readonly kind: JsonStreamFaultKind;

  constructor(kind: JsonStreamFaultKind) {
    super(`the text is ${kind}`);
    this.name = "JsonStreamFault";
    this.kind = kind;
  }
}
