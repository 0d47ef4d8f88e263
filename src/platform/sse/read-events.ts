/** One event of an event stream; `name` is undefined where the stream names none. */
export interface StreamEvent {
  readonly name: string | undefined;
  readonly data: string;
}

/**
 * The complete events of a piece of an event stream, read as the HTML standard
 * says: LF, CRLF or CR, comments and unknown fields ignored, `data` lines joined.
 * What follows the last blank line is left out.
 */
export function readEvents(text: string): StreamEvent[] {
  const frames = text.replace(/^\uFEFF/, "").split(/\r\n\r\n|\n\n|\r\r|\n\r\n|\r\n\n/);
  return frames.slice(0, -1).flatMap((frame) => readFrame(frame) ?? []);
}

function readFrame(frame: string): StreamEvent | undefined {
  const fields = frame.split(/\r\n|\n|\r/).map(readField);
  const data = fields.filter(([name]) => name === "data").map(([, value]) => value);
  if (data.length === 0) return undefined;
  return { name: fields.findLast(([name]) => name === "event")?.[1], data: data.join("\n") };
}

function readField(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  if (colon === -1) return [line, ""];
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
}
