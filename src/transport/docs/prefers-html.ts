/**
 * Whether a caller is a browser by what it accepts: it names HTML, and does not
 * put JSON before it (RFC 9110, 12.5.1). Clients name JSON, or nothing.
 */
export function prefersHtml(accept = ""): boolean {
  const html = qualityOf(accept, "text/html");
  return html > 0 && html >= qualityOf(accept, "application/json");
}

/** 0 for a type that is not named itself, or not wanted. */
function qualityOf(accept: string, type: string): number {
  const ranges = accept
    .toLowerCase()
    .split(",")
    .map((range) => range.split(";").map((part) => part.trim()));
  const [, ...parameters] = ranges.find(([name]) => name === type) ?? ["", "q=0"];
  const quality = parameters.find((parameter) => parameter.startsWith("q="));
  return quality === undefined ? 1 : Number(quality.slice(2)) || 0;
}
