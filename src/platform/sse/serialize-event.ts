/**
 * One event of an event stream, closed by its blank line. `data` is JSON
 * without line breaks, as `JSON.stringify` writes it; without a `name` the line
 * is left out.
 */
export function serializeSseEvent(data: unknown, name?: string): string {
  const line = `data: ${JSON.stringify(data)}\n\n`;
  return name === undefined ? line : `event: ${name}\n${line}`;
}
