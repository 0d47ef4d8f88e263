/** A text as one word of bash and zsh: nothing in single quotes means anything. */
export function quoteShellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A text as one word of a command line that a person may paste; quoted only where it has to be. */
export function quoteShellWordIfNeeded(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoteShellWord(text);
}
