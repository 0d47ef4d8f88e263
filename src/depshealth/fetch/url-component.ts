/**
 * Escapes a text for one component of an address. Half a surrogate pair, which JSON can carry and
 * `encodeURIComponent` throws on, becomes U+FFFD, as in every address that is parsed.
 */
export function encodeUrlComponent(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
