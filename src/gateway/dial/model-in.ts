/** Where upstreams name their model as a rule: before they say anything. */
const usualBytes = 256;

/** Where some do: behind what they were told. */
const readBytesAtMost = 2048;

/** Quotes within a text are escaped: what a prompt or an answer says is never taken for it. */
const modelMember = /"model"\s*:\s*"([!#-[\]-~]{1,128})"/;

/** The model that the beginning of an answer names; undefined: none, or one of no usual form. */
export function modelIn(chunk: Buffer): string | undefined {
  return namedIn(chunk, usualBytes) ?? namedIn(chunk, readBytesAtMost);
}

function namedIn(chunk: Buffer, bytes: number): string | undefined {
  return modelMember.exec(chunk.toString("latin1", 0, bytes))?.[1];
}
