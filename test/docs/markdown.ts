/** A link of a page to another page or file of the repository. */
export interface PageLink {
  readonly line: number;
  /** As it stands there, `../src/main.ts` or `#limits`. */
  readonly target: string;
}

/** The links of a page that lead neither to another site nor out of the text: code holds none. */
export function linksOf(page: string): PageLink[] {
  return linesOutsideCode(page).flatMap(({ text, line }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = ""]) => ({ line, target }))
      .filter(({ target }) => !/^[a-z]+:/.test(target)),
  );
}

/** The anchors of a page's headings, as the hosts of repositories make them. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const headings = linesOutsideCode(page).flatMap(
    ({ text }) => /^#{1,6} (.+)$/.exec(text)?.[1] ?? [],
  );
  const slugs = headings.map(slugOf);
  return new Set(
    slugs.map((slug, index) => {
      const earlier = slugs.slice(0, index).filter((it) => it === slug).length;
      return earlier === 0 ? slug : `${slug}-${earlier}`;
    }),
  );
}

function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
}

/** What stands between backticks in running text. */
export function codeSpans(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
}

/** The files and folders of the repository that running text names in code. */
export function pathsInCode(text: string): string[] {
  const form = /^(?:\.ci|bin|docs|gen|proto|scripts|src|test)\/[\w./-]*$/;
  return codeSpans(text).filter((span) => form.test(span));
}

/** The text of the code blocks that are marked with a language. */
export function codeBlocks(page: string, language: string): string[] {
  const fences = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms");
  return [...page.matchAll(fences)].map(([, code = ""]) => code);
}

function linesOutsideCode(page: string): { readonly text: string; readonly line: number }[] {
  let isCode = false;
  return page.split("\n").flatMap((text, index) => {
    const isFence = text.trimStart().startsWith("```");
    if (isFence) isCode = !isCode;
    return isFence || isCode ? [] : { text, line: index + 1 };
  });
}
