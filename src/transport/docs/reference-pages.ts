import { fastify } from "fastify";
import { createBodyWithEntityTag, type BodyWithEntityTag } from "./tagged-body.ts";

/** The rendered interface description: a page and the one script that it loads. */
export interface RenderedReferencePages {
  readonly html: string;
  readonly script: BodyWithEntityTag;
}

/** What a page renders, and where it finds it: relative, so that a prefix of a proxy does not matter. */
export interface ReferencePageOptions {
  readonly title: string;
  readonly documentPath: string;
  readonly scriptPath: string;
}

const pagesByTitle = new Map<string, Promise<RenderedReferencePages>>();

/**
 * The pages of `@scalar/fastify-api-reference`, taken once for each title from an
 * instance of its own, when somebody first reads the documentation.
 */
export function loadReferencePages(page: ReferencePageOptions): Promise<RenderedReferencePages> {
  const known = pagesByTitle.get(page.title);
  if (known !== undefined) return known;
  const rendered = renderPages(page);
  pagesByTitle.set(page.title, rendered);
  return rendered;
}

async function renderPages(page: ReferencePageOptions): Promise<RenderedReferencePages> {
  const { default: apiReference } = await import("@scalar/fastify-api-reference");
  const app = fastify();
  await app.register(apiReference, {
    routePrefix: "/docs",
    configuration: pageConfiguration(page),
  });
  const { payload } = await app.inject("/docs/");
  const script = await app.inject("/docs/js/scalar.js");
  await app.close();
  return { html: readable(payload), script: createBodyWithEntityTag(script.payload) };
}

/** Says the language, which screen readers pronounce by, and that there is no icon to ask for. */
function readable(html: string): string {
  return html
    .replace("<html>", '<html lang="en">')
    .replace("<head>", '<head>\n    <link rel="icon" href="data:,">');
}

/** Everything that would call another host is off. */
function pageConfiguration({ title, documentPath, scriptPath }: ReferencePageOptions) {
  return {
    pageTitle: title,
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
