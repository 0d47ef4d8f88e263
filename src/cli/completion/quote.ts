/** A text as one word of bash and zsh: nothing in single quotes means anything. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
