/** Bytes that a `content-length` announces; undefined: it does not say (RFC 9110, 8.6). */
export function parseContentLength(contentLength: string | null | undefined): number | undefined {
  return contentLength !== undefined && contentLength !== null && /^\d+$/.test(contentLength)
    ? Number(contentLength)
    : undefined;
}
