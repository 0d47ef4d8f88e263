/** Where a request went. */
export interface HarRequestUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The parts of the path between slashes, escapes as they were sent. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/** Longer addresses are not read. */
const maximumLength = 16_384;

/** Reads an absolute address of the web; undefined for any other. */
export function parseHttpUrl(text: string): HarRequestUrl | undefined {
  if (text.length > maximumLength || !/^https?:\/\//i.test(text)) return undefined;
  const url = URL.parse(text);
  if (url === null) return undefined;
  return {
    origin: url.origin,
    segments: url.pathname.slice(1).split("/"),
    query: url.searchParams,
  };
}
