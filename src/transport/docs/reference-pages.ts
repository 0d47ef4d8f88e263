import { fastify } from "fastify";
import { taggedBody, type TaggedBody } from "./tagged-body.ts";

/** The rendered interface description: a page and the one script that it loads. */
export interface ReferencePages {
  readonly html: string;
  readonly script: TaggedBody;
}

/** Where the page finds things, relative to `/docs`, so that a prefix of a proxy does not matter. */
const scriptPath = "docs/js/scalar.js";
const documentPath = "openapi.json";

const pagesByTitle = new Map<string, Promise<ReferencePages>>();

/**
 * The pages of `@scalar/fastify-api-reference`, taken once from an instance of
 * its own, when somebody first reads the documentation.
 */
export function referencePages(title: string): Promise<ReferencePages> {
  const known = pagesByTitle.get(title);
  if (known !== undefined) return known;
  const rendered = renderPages(title);
  pagesByTitle.set(title, rendered);
  return rendered;
}

async function renderPages(title: string): Promise<ReferencePages> {
  const { default: apiReference } = await import("@scalar/fastify-api-reference");
  const app = fastify();
  await app.register(apiReference, {
    routePrefix: "/docs",
    configuration: pageConfiguration(title),
  });
  const page = await app.inject("/docs/");
  const script = await app.inject("/docs/js/scalar.js");
  await app.close();
  return { html: readable(page.payload), script: taggedBody(script.payload) };
}

/** Says the language, which screen readers pronounce by, and that there is no icon to ask for. */
function readable(html: string): string {
  return html
    .replace("<html>", '<html lang="en">')
    .replace("<head>", '<head>\n    <link rel="icon" href="data:,">');
}

/** Everything that would call another host is off. */
function pageConfiguration(pageTitle: string) {
  return {
    pageTitle,
    url: documentPath,
    cdn: scriptPath,
    // Undefined would mean the vendor's proxy.
    proxyUrl: "",
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: "never" as const,
    persistAuth: false,
    agent: { disabled: true },
    mcp: { disabled: true },
  };
}
