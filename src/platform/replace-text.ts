/**
 * Replaces each `wanted` in a text, as `replaceAll` does, in time that grows with the lengths of
 * the two: the search of V8 takes the product of both for a text and a value that repeat one
 * character. `wanted` has at least one character. (Knuth, Morris and Pratt, Fast pattern matching
 * in strings, 1977.)
 */
export function replaceAllInLinearTime(text: string, wanted: string, replacement: string): string {
  if (text.length < wanted.length) return text;
  const fallbacks = findFallbacks(wanted);
  let result = "";
  let copied = 0;
  let matched = 0;
  for (let place = 0; place < text.length; place += 1) {
    const unit = text.charCodeAt(place);
    while (matched > 0 && wanted.charCodeAt(matched) !== unit)
      matched = fallbacks[matched - 1] ?? 0;
    if (wanted.charCodeAt(matched) === unit) matched += 1;
    if (matched < wanted.length) continue;
    result += text.slice(copied, place + 1 - wanted.length) + replacement;
    copied = place + 1;
    matched = 0;
  }
  return copied === 0 ? text : result + text.slice(copied);
}

/** By place: the length of the longest beginning of the text with which the text up to there also ends. */
function findFallbacks(text: string): Uint32Array {
  const fallbacks = new Uint32Array(text.length);
  let matched = 0;
  for (let place = 1; place < text.length; place += 1) {
    const unit = text.charCodeAt(place);
    while (matched > 0 && text.charCodeAt(matched) !== unit) matched = fallbacks[matched - 1] ?? 0;
    if (text.charCodeAt(matched) === unit) matched += 1;
    fallbacks[place] = matched;
  }
  return fallbacks;
}
