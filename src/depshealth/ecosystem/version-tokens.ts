/** A number or a lower-case word of a version. */
export type VersionToken = number | string;

/**
 * Splits a version at dots, dashes and underscores, and where digits and letters
 * meet. Zeros at the end of a run of numbers mean nothing and are left out: 1.0
 * is 1, and 1.0-jre is 1-jre.
 */
export function tokenizeVersion(version: string): readonly VersionToken[] {
  const parts = version
    .toLowerCase()
    .replace(/^v(?=\d)/, "")
    .match(/\d+|[a-z]+/g);
  const tokens: VersionToken[] = [];
  for (const part of parts ?? []) {
    const isWord = /^[a-z]/.test(part);
    if (isWord) dropZeros(tokens);
    tokens.push(isWord ? part : Number(part));
  }
  dropZeros(tokens);
  return tokens;
}

function dropZeros(tokens: VersionToken[]): void {
  while (tokens.at(-1) === 0) tokens.pop();
}

/**
 * Compares versions token by token. A number beats a word; a version that ends
 * early is higher than one that goes on with a word of negative rank, lower
 * than one of positive rank, and equal to one that goes on with zeros.
 */
export function compareVersionTokens(
  left: readonly VersionToken[],
  right: readonly VersionToken[],
  rank: (word: string) => number,
): number {
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const result = compareToken(left[index], right[index], rank);
    if (result !== 0) return result;
  }
  return 0;
}

function compareToken(
  left: VersionToken | undefined,
  right: VersionToken | undefined,
  rank: (word: string) => number,
): number {
  if (typeof left === "string" && typeof right === "string") {
    const ranks = rank(left) - rank(right);
    if (ranks !== 0 || left === right) return Math.sign(ranks);
    return left < right ? -1 : 1;
  }
  if (typeof left === "string") return -againstWord(right, rank(left));
  if (typeof right === "string") return againstWord(left, rank(right));
  return compareNumbers(left ?? 0, right ?? 0);
}

/** Without a difference, which two infinities do not have. */
function compareNumbers(left: number, right: number): number {
  return left < right ? -1 : Number(left > right);
}

/** A number beats every word; the end of a version beats what comes before a release. */
function againstWord(token: VersionToken | undefined, rankOfWord: number): number {
  return token === undefined ? -Math.sign(rankOfWord) : 1;
}
