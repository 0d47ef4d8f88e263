/** Upstreams name their model before they say anything, and so does the first event of a stream. */
const readBytesAtMost = 2048;

/** Quotes within a text are escaped: what a prompt or an answer says is never taken for it. */
const firstModel = /"model"\s*:\s*"([!#-[\]-~]{1,128})"/;

/** The model that the beginning of an answer names; undefined: none, or one of no usual form. */
export function modelIn(chunk: Buffer): string | undefined {
  return firstModel.exec(chunk.toString("latin1", 0, readBytesAtMost))?.[1];
}
