/** Why a source could not be heard, and when. The message is a sentence's end: "did not answer in time". */
export interface DataSourceFailure {
  readonly message: string;
  readonly at: number;
}

/**
 * What a source said, or that it said nothing. A document that could not be
 * refreshed is given with the failure. The same object is given as long as
 * nothing has changed, so that what is derived from it can be kept with it.
 */
export type DataSourceResult<Document> =
  | {
      readonly state: "found";
      readonly document: Document;
      /** When it was last true at the source. */
      readonly observedAt: number;
      readonly failure?: DataSourceFailure;
    }
  | {
      readonly state: "missing";
      readonly observedAt: number;
      readonly failure?: DataSourceFailure;
    }
  | { readonly state: "failed"; readonly failure: DataSourceFailure };

/** The document, if there is one. */
export function getFetchedDocument<Document>(
  outcome: DataSourceResult<Document> | undefined,
): Document | undefined {
  return outcome?.state === "found" ? outcome.document : undefined;
}

/** What one attempt to load a document has come to. */
export type DataSourceDocumentLoadResult<Document> =
  | {
      readonly kind: "document";
      readonly document: Document;
      readonly validators?: HttpCacheValidators;
    }
  | { readonly kind: "unchanged" }
  | { readonly kind: "missing" }
  | { readonly kind: "failed"; readonly message: string };

/** What a source gave to ask it whether a document has changed. */
export interface HttpCacheValidators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** How long documents of a kind are believed, in milliseconds. */
export interface DocumentCacheLifetimes {
  /** Not asked again for so long. */
  readonly freshMs: number;
  /** Given at once for so much longer while it is asked for again. */
  readonly staleMs: number;
  /** That there is no such thing is believed for so long. */
  readonly missingMs: number;
}

const minute = 60_000;
const hour = 60 * minute;

/** Registries and repositories: a release or a mark should show within the hour. */
export const defaultDataSourceCacheLifetimes: DocumentCacheLifetimes = {
  freshMs: hour,
  staleMs: 23 * hour,
  missingMs: 10 * minute,
};

/** What never changes under its key. */
export const immutableDocumentCacheLifetimes: DocumentCacheLifetimes = {
  freshMs: 7 * 24 * hour,
  staleMs: 23 * 24 * hour,
  missingMs: 10 * minute,
};

/** Better than nothing when the source fails. */
export const staleIfErrorMs = 7 * 24 * hour;
