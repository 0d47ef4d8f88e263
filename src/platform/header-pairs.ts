/** Headers that are given as names and values in turn, as Node's `writeHead` takes them, in pairs. */
export function splitRawHeadersIntoPairs(
  headers: readonly string[],
): readonly (readonly [string, string])[] {
  return Array.from({ length: headers.length / 2 }, (_, at) => {
    const [name = "", value = ""] = headers.slice(2 * at);
    return [name, value];
  });
}
