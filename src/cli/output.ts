import { sanitizeTerminalLine, sanitizeTerminalLines, escapeCiLogCommands } from "./format-cell.ts";

// The only module of the command line that may use the console (oxlint.config.ts).

/**
 * Writes lines to standard output. A server, a model or a file may have chosen the text, so
 * that neither a terminal nor the runner of a CI job must obey it.
 */
export function writeToStdout(text: string): void {
  console.log(escapeCiLogCommands(sanitizeTerminalLines(text)));
}

/** Writes lines to standard error, as `writeToStdout` does. */
export function writeToStderr(text: string): void {
  console.error(escapeCiLogCommands(sanitizeTerminalLines(text)));
}

/**
 * Formats a value as JSON that a terminal and the runner of a CI job show as it is:
 * `JSON.stringify` escapes C0 control characters alone. Its readers get the same value.
 *
 * @param indent - spaces per level; 0: one line
 */
export function formatTerminalSafeJson(value: unknown, indent = 2): string {
  const text = JSON.stringify(value, undefined, indent);
  return text.replaceAll(/[^\n -~]|#(?=#\w{0,20}\[)/gu, (character) =>
    character !== "#" && sanitizeTerminalLine(character) === character
      ? character
      : unicodeEscape(character),
  );
}

function unicodeEscape(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16);
    return String.raw`\u${unit.padStart(4, "0")}`;
  }).join("");
}
