import type { OsvDocument, OsvEvent } from "./database-record.ts";

/** What stands above the text of an advisory in RustSec's own form. */
export interface RustsecFrontMatter {
  readonly advisory: {
    readonly id: string;
    readonly package: string;
    readonly aliases?: readonly string[];
    readonly informational?: string;
    readonly cvss?: string;
    readonly withdrawn?: unknown;
  };
  readonly versions?: {
    readonly patched?: readonly string[];
    readonly unaffected?: readonly string[];
  };
}

/**
 * An advisory as RustSec exports it to OSV: the heading is the summary, and what is
 * neither patched nor unaffected is between events.
 */
export function rustsecDocument(
  { advisory, versions }: RustsecFrontMatter,
  text: string,
  filedAs: string,
): OsvDocument {
  const [, title = "", body = ""] = /^#\s+(.*?)\n(.*)$/s.exec(`${text}\n`) ?? [];
  const { id, aliases = [], informational, cvss, withdrawn } = advisory;
  const database_specific = informational === undefined ? {} : { informational };
  const document = {
    id,
    aliases,
    summary: title.trim(),
    details: body.trim(),
    ...(withdrawn !== undefined && { withdrawn: JSON.stringify(withdrawn) }),
    severity: cvss === undefined ? [] : [{ type: "CVSS_V3", score: cvss }],
    affected: [
      {
        package: { ecosystem: filedAs, name: advisory.package },
        ranges: [{ type: "SEMVER", events: eventsOf(versions ?? {}) }],
        versions: [],
        database_specific,
      },
    ],
  };
  return document;
}

/** From the lowest version on, but for what is below it and unaffected; up to each version that is patched. */
function eventsOf({
  patched = [],
  unaffected = [],
}: NonNullable<RustsecFrontMatter["versions"]>): readonly OsvEvent[] {
  const introduced = unaffected.flatMap((range) => boundOf(range, /<\s*(\d[\w.+-]*)/)).at(0);
  const fixes = patched.flatMap((range) => boundOf(range, /(?:>=?|\^|=|~)\s*(\d[\w.+-]*)/));
  return [{ introduced: introduced ?? "0" }, ...fixes.map((fixed) => ({ fixed }))];
}

function boundOf(range: string, form: RegExp): readonly string[] {
  const bound = form.exec(range)?.[1];
  return bound === undefined ? [] : [bound];
}
