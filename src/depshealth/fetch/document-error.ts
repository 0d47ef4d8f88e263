/** What is wrong with a document that a source sent. */
export type DataSourceDocumentErrorKind = "not JSON" | "broken off" | "too large" | "unreadable";

/** A document that cannot be read: a failure of its source, never a fact. */
export class DataSourceDocumentError extends Error {
  readonly kind: DataSourceDocumentErrorKind;

  constructor(kind: DataSourceDocumentErrorKind, options?: ErrorOptions) {
    super(`the document is ${kind}`, options);
    this.name = "DocumentError";
    this.kind = kind;
  }
}
