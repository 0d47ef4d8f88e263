/** Size of an answer that is not streamed. */
export const answerBytes = 1024;

/** Time between two tokens of a paced stream. */
export const tokenPeriodMs = 20;

/** Stands exactly once in every streamed token and nowhere else in an answer's body. */
export const tokenMark = "~";

/** The text of every streamed token. */
export const tokenText = `${tokenMark}causeway `;

const markByte = tokenMark.charCodeAt(0);

/** Tokens in a piece of a streamed body, cut anywhere. */
export function countTokens(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(markByte); at >= 0; at = bytes.indexOf(markByte, at + 1)) count++;
  return count;
}
