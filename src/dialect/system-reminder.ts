/**
 * System text as a user's turn holds it, for models that know no system message in
 * the middle of a conversation; the mark is Claude Code's, which many models know.
 */
export function formatSystemReminder(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`;
}
