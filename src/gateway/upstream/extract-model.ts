/** Where upstreams name their model as a rule: before they say anything. */
const modelIdPattern = 256;

/** Where some do: behind what they were told. */
const maxReadBytes = 2048;

/** Quotes within a text are escaped: what a prompt or an answer says is never taken for it. */
const modelMember = /"model"\s*:\s*"([!#-[\]-~]{1,128})"/;

/** The model that the beginning of an answer names; undefined: none, or one of no usual form. */
export function extractResponseModel(chunk: Buffer): string | undefined {
  return namedIn(chunk, modelIdPattern) ?? namedIn(chunk, maxReadBytes);
}

function namedIn(chunk: Buffer, bytes: number): string | undefined {
  return modelMember.exec(chunk.toString("latin1", 0, bytes))?.[1];
}
