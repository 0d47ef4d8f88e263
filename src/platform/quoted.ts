const plain = /^[\w ./:@-]*$/;

/** The JSON text of a string. Ids and names need no escapes, which is quick to tell. */
export function quoted(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}
