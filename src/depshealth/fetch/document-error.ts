/** What is wrong with a document that a source sent. */
export type DocumentErrorKind = "not JSON" | "broken off" | "too large" | "unreadable";

/** A document that cannot be read: a failure of its source, never a fact. */
export class DocumentError extends Error {
  readonly kind: DocumentErrorKind;

  constructor(kind: DocumentErrorKind) {
    super(`the document is ${kind}`);
    this.name = "DocumentError";
    this.kind = kind;
  }
}
