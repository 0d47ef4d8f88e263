import { sanitizeToolName } from "./unique-name.ts";

/** Characters of names in one note. */
const maxCharacters = 4000;

/** What the model is told about its tools; undefined: nothing. */
export function formatToolNotes(notes: readonly string[]): string | undefined {
  if (notes.length === 0) return undefined;
  return ["Notes on your tools:", ...notes.map((note) => `- ${note}`)].join("\n");
}

/**
 * A note on tools, by name as far as there is room. A name is a server's words: only letters,
 * digits, `_` and `-` of it stand there. `nameOf` is called only for tools that are named.
 */
export function formatToolNamesNote<Tool>(
  tools: readonly Tool[],
  what: string,
  nameOf: (tool: Tool) => string,
): string[] {
  if (tools.length === 0) return [];
  let room = maxCharacters;
  const named: string[] = [];
  for (const tool of tools) {
    const name = sanitizeToolName(nameOf(tool)) || "tool";
    room -= name.length + 2;
    if (room < 0) break;
    named.push(name);
  }
  const rest = tools.length - named.length;
  const more = rest === 0 ? "" : ` and ${rest} more`;
  return [`Tools that ${what}: ${named.join(", ")}${more}.`];
}
