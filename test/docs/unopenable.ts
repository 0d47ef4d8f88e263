/**
 * Ways to cite what is not in the repository. Whoever reads a clone cannot open it:
 * say the reason itself, or cite a page of docs/.
 */
const patterns: readonly RegExp[] = [
  // The documents that the project was started from; a seed of random numbers is none.
  /\b(?:gateway|health) seeds?\b/i,
  /\bthe (?:two )?seeds\b/i,
  /\bof the seed\b/i,
  /\bthe seed (?:says|calls|asks|shows|names|lists|has|wants)\b/i,
  // Numbers of sections and of lists. Those of published standards can be opened.
  /\bcontract,? (?:sections? )?\d/i,
  /(?<!\b(?:RFC \d+|Trace Context|specification \d\.\d), )\bsections? \d/i,
  /["'`(](?:case|pain|row|rule)s? \d/i,
  /\bpains? \d/i,
  /\bissues? #?\d/i,
  /\b(?:performance|dialects|gateways|judges|style|security|deps-health) reference\b/i,
  /\w reference, \d/i,
];

/** What a text cites that a clone does not have. */
export function unopenableIn(text: string): string[] {
  const lines = text.replace(/\n[ \t]*(?:\*|\/\/|#|--)[ \t]*/g, " ");
  return patterns.flatMap((pattern) => pattern.exec(lines)?.[0] ?? []);
}
