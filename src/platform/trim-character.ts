/**
 * The text without a character at both ends. Linear, which `/^-+|-+$/` is not: a run of
 * the character in the middle is read again from each of its places.
 */
export function trimCharacter(text: string, character: string): string {
  let start = 0;
  while (text[start] === character) start++;
  return trimTrailingCharacter(text.slice(start), character);
}

/** The text without a character at its end, such as the slashes of an address; linear. */
export function trimTrailingCharacter(text: string, character: string): string {
  let end = text.length;
  while (text[end - 1] === character) end--;
  return text.slice(0, end);
}
