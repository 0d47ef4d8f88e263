import { escapeHtml } from "../../platform/html.ts";

/** A place of the port that people are led to. */
export interface RootPageLink {
  /** Relative to the root of the port, so that a prefix of a proxy does not matter. */
  readonly path: string;
  readonly label: string;
}

export interface RootPageContent {
  readonly title: string;
  readonly version: string;
  readonly places: readonly RootPageLink[];
  /** What programs are given as its address. */
  readonly hint: string;
}

/** The page at the root of a port: where to go from here. It has no script and names no other host. */
export function renderRootPage({ title, version, places, hint }: RootPageContent): string {
  const items = places.map(
    ({ path, label }) => `<li><a href="${escapeHtml(path)}">${escapeHtml(label)}</a></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<ul>
${items.join("\n")}
</ul>
<p>${escapeHtml(hint)}</p>
<p><small>Version ${escapeHtml(version)}</small></p>
</main>
</body>
</html>
`;
}

const style = `
:root { color-scheme: light dark; font-family: ui-sans-serif, system-ui, sans-serif; line-height: 1.5; }
main { max-width: 32rem; margin: 4rem auto; padding: 0 1rem; }
`;
