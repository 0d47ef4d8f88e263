/** What is wrong with a document that a source sent. */
export type DocumentReadErrorKind = "not JSON" | "broken off" | "too large" | "unreadable";

/** A document that cannot be read: a failure of its source, never a fact. */
export class SourceDocumentReadError extends Error {
  readonly kind: DocumentReadErrorKind;

  constructor(kind: DocumentReadErrorKind, options?: ErrorOptions) {
    super(`the document is ${kind}`, options);
    this.name = "DocumentError";
    this.kind = kind;
  }
}
