import { truncateToOneLine, asUrlWithinLengthLimit } from "../fetch/source-text.ts";
import { assertVersionCountWithinLimit } from "./sort-versions.ts";
import type { PackageVersionFacts } from "../facts.ts";
import {
  asNonNegativeInteger,
  asJsonObjectOrEmpty,
  asJsonObjectElements,
  asNonBlankString,
  isoDateToEpochMilliseconds,
  type JsonObject,
} from "../../platform/json-value.ts";
import { wholeMembersProjection } from "../../platform/json-stream/json-shape.ts";
import type { DataSourceResult } from "../fetch/outcome.ts";
import { createJsonDocumentParser } from "../fetch/read-document.ts";
import { joinUrlPathSegments, type DataSourceClient } from "../fetch/source-client.ts";
import { encodeUrlComponent } from "../fetch/url-component.ts";
import { DataSourceDocumentError } from "../fetch/document-error.ts";
import { parseGoModWithdrawals } from "./go-mod.ts";
import { versionOrderByEcosystem } from "./version-order.ts";

/** What is kept of a module's page. */
export interface GoModulePage {
  readonly version: string | null;
  readonly releasedAt: number | null;
  readonly repositoryUrl: string | null;
  readonly deprecation: GoDeprecation;
}

/** `unsaid`: the answer has no word for it. */
export type GoDeprecation = { readonly kind: "unsaid" | "none" } | GoDeprecated;

interface GoDeprecated {
  readonly kind: "deprecated";
  readonly message: string | null;
}

/** One page of a module's versions. */
export interface PkgGoDevVersionsPage {
  readonly versions: readonly PackageVersionFacts[];
  /** Said of the newest version of the page that has the word. */
  readonly deprecation: GoDeprecation;
  readonly next?: string;
}

const pageSize = 500;
const maxPages = 10;

export function fetchGoModulePage(
  client: DataSourceClient,
  module: string,
): Promise<DataSourceResult<GoModulePage>> {
  return client.get({
    path: modulePath("module", module),
    result: "go.module.2",
    read: createJsonDocumentParser(
      wholeMembersProjection(
        "path",
        "modulePath",
        "version",
        "commitTime",
        "repoUrl",
        "deprecated",
        "deprecationReason",
        "goModContents",
      ),
      goModule,
    ),
  });
}

/** All pages of the versions; the last one may be a failure. */
export async function fetchGoVersionListPages(
  client: DataSourceClient,
  module: string,
): Promise<readonly DataSourceResult<PkgGoDevVersionsPage>[]> {
  const pages: DataSourceResult<PkgGoDevVersionsPage>[] = [];
  for (let token = ""; ;) {
    const page = await readVersionPage(client, module, token);
    pages.push(page);
    const next = page.state === "found" ? page.document.next : undefined;
    if (next === undefined || pages.length >= maxPages) return pages;
    token = next;
  }
}

/** Number of packages that import the module's root package. */
export function fetchGoImporterCount(
  client: DataSourceClient,
  module: string,
): Promise<DataSourceResult<number>> {
  return client.get({
    path: `${modulePath("imported-by", module)}?limit=1`,
    result: "go.importers.1",
    read: createJsonDocumentParser(
      { members: { importedBy: wholeMembersProjection("total"), total: "whole" } },
      (picked) => {
        const answer = asJsonObjectOrEmpty(picked);
        const total =
          asNonNegativeInteger(asJsonObjectOrEmpty(answer["importedBy"])["total"]) ??
          asNonNegativeInteger(answer["total"]);
        if (total === undefined) throw new DataSourceDocumentError("unreadable");
        return total;
      },
    ),
  });
}

function readVersionPage(
  client: DataSourceClient,
  module: string,
  token: string,
): Promise<DataSourceResult<PkgGoDevVersionsPage>> {
  const more = token === "" ? "" : `&token=${encodeUrlComponent(token)}`;
  return client.get({
    path: `${modulePath("versions", module)}?limit=${pageSize}${more}`,
    result: "go.versions.2",
    read: createJsonDocumentParser(
      { members: { items: { each: "whole" }, nextPageToken: "whole" } },
      (picked) => versionPage(module, asJsonObjectOrEmpty(picked)),
    ),
  });
}

function modulePath(call: string, module: string): string {
  return joinUrlPathSegments("v1beta", call, ...module.split("/"));
}

function goModule(picked: unknown): GoModulePage {
  const module = asJsonObjectOrEmpty(picked);
  const version = truncateToOneLine(module["version"]) ?? null;
  if (version === null && asNonBlankString(module["path"]) === undefined)
    throw new DataSourceDocumentError("unreadable");
  return {
    version,
    releasedAt: isoDateToEpochMilliseconds(module["commitTime"]) ?? null,
    repositoryUrl: asUrlWithinLengthLimit(module["repoUrl"]) ?? null,
    deprecation: deprecationOf(module),
  };
}

function deprecationOf(entry: JsonObject): GoDeprecation {
  const { deprecated, deprecationReason, goModContents } = entry;
  const reason = truncateToOneLine(deprecationReason) ?? truncateToOneLine(deprecated);
  if (deprecated === true || reason !== undefined) {
    return { kind: "deprecated", message: reason ?? null };
  }
  if (deprecated === false) return { kind: "none" };
  const text = asNonBlankString(goModContents);
  if (text === undefined) return { kind: "unsaid" };
  const message = parseGoModWithdrawals(text).deprecation;
  return message === undefined ? { kind: "none" } : { kind: "deprecated", message };
}

/** Versions of other major versions are other modules; the site lists them too. */
function versionPage(module: string, answer: JsonObject): PkgGoDevVersionsPage {
  const own = asJsonObjectElements(answer["items"]).filter(
    ({ modulePath: path }) => path === undefined || path === module,
  );
  const said = own.map(deprecationOf).find(({ kind }) => kind !== "unsaid");
  const next = asNonBlankString(answer["nextPageToken"]);
  return {
    versions: assertVersionCountWithinLimit(own).flatMap(versionOf),
    deprecation: said ?? { kind: "unsaid" },
    ...(next !== undefined && { next }),
  };
}

function versionOf(entry: JsonObject): readonly PackageVersionFacts[] {
  const version = asNonBlankString(entry["version"]);
  if (version === undefined) return [];
  const reason =
    truncateToOneLine(entry["retractionRationale"]) ??
    truncateToOneLine(entry["retractionReason"]) ??
    truncateToOneLine(entry["rationale"]) ??
    null;
  return [
    {
      version,
      stable: versionOrderByEcosystem.go.isStable(version),
      releasedAt: isoDateToEpochMilliseconds(entry["commitTime"]) ?? null,
      ...(entry["retracted"] === true && { withdrawal: { kind: "retracted" as const, reason } }),
    },
  ];
}
