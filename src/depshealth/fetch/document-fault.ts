/** What is wrong with a document that a source sent. */
export type DocumentFaultKind = "not JSON" | "broken off" | "too large" | "unreadable";

/** A document that cannot be read: a failure of its source, never a fact. */
export class DocumentFault extends Error {
  readonly kind: DocumentFaultKind;

  constructor(kind: DocumentFaultKind) {
    super(`the document is ${kind}`);
    this.name = "DocumentFault";
    this.kind = kind;
  }
}
