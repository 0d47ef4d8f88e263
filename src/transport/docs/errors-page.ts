import {
  dialectErrorCatalog,
  errorCatalog,
  type ErrorCode,
  type ErrorDefinition,
} from "../../platform/errors.ts";
import { trimTrailingCharacter } from "../../platform/trim-character.ts";

/** The page that explains every code of the catalogue; the anchor of a code is the code. */
export function renderErrorsPage(): string {
  const sections = Object.entries({ ...errorCatalog, ...dialectErrorCatalog }).map(
    ([code, definition]) => renderSection(code, definition),
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Causeway: errors</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Errors</h1>
<p>Every refusal carries a code of this list, a message, the address of its place on this page
and the id of the request, which the operator finds in the log. An error of the upstream keeps
the upstream's own code, which its vendor explains.</p>
${sections.join("\n")}
</main>
</body>
</html>
`;
}

/** Address of a code's place on the page, below the public address of the service. */
export function errorDocUrl(publicUrl: string, code: ErrorCode): string {
  return `${trimTrailingCharacter(publicUrl, "/")}/docs/errors#${code}`;
}

function renderSection(code: string, { status, summary, remedy }: ErrorDefinition): string {
  return `<section id="${escapeHtml(code)}">
<h2><a href="#${escapeHtml(code)}"><code>${escapeHtml(code)}</code></a> <small>${status}</small></h2>
<p>${renderText(summary)}</p>
<p>${renderText(remedy)}</p>
</section>`;
}

/** Text between back quotes is code. */
function renderText(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

const style = `
:root { color-scheme: light dark; font-family: ui-sans-serif, system-ui, sans-serif; line-height: 1.5; }
main { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
section { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: 0.5rem 0; }
section:target { outline: 2px solid; outline-offset: 0.5rem; }
h2 { font-size: 1.1rem; margin: 0.5rem 0; }
h2 a { color: inherit; text-decoration: none; }
code { font-family: ui-monospace, monospace; }
`;
