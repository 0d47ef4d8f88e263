/** Upstreams name their model before they say anything, and so does the first event of a stream. */
const readBytesAtMost = 2048;

const memberName = Buffer.from('"model"');

/** A name of 128 characters, the quotes, and some space round the colon. */
const memberBytesAtMost = 160;

/** Quotes within a text are escaped: what a prompt or an answer says is never taken for it. */
const modelMember = /^"model"\s*:\s*"([!#-[\]-~]{1,128})"/;

/** The model that the beginning of an answer names; undefined: none, or one of no usual form. */
export function modelIn(chunk: Buffer): string | undefined {
  let at = chunk.indexOf(memberName);
  while (at !== -1 && at < readBytesAtMost) {
    const named = modelMember.exec(chunk.toString("latin1", at, at + memberBytesAtMost));
    if (named !== null) return named[1];
    at = chunk.indexOf(memberName, at + memberName.length);
  }
  return undefined;
}
