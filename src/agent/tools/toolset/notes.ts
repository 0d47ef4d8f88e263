import { toToolName } from "./unique-name.ts";

/** Characters of names in one note. */
const maxCharacters = 4000;

/** What the model is told about its tools; undefined: nothing. */
export function formatToolNotes(notes: readonly string[]): string | undefined {
  if (notes.length === 0) return undefined;
  return ["Notes on your tools:", ...notes.map((note) => `- ${note}`)].join("\n");
}

/** A note on tools, by name as far as there is room. A name is a server's words: only letters, digits, `_` and `-` of it stand there. */
export function formatNoteListingToolNames(names: readonly string[], what: string): string[] {
  if (names.length === 0) return [];
  let room = maxCharacters;
  const named = names
    .map((name) => toToolName(name) || "tool")
    .filter((name) => {
      room -= name.length + 2;
      return room >= 0;
    });
  const rest = names.length - named.length;
  const more = rest === 0 ? "" : ` and ${rest} more`;
  return [`Tools that ${what}: ${named.join(", ")}${more}.`];
}
