import { truncateToOneLine, asUrlWithinLengthLimit } from "../fetch/source-text.ts";
import {
  asNonNegativeInteger,
  asBoolean,
  asArrayOrEmpty,
  asJsonObjectOrEmpty,
  asJsonObjectElements,
  asNonBlankString,
  isoDateToEpochMilliseconds,
  type JsonObject,
} from "../../platform/json-value.ts";
import { readLicenseName } from "../fetch/license-text.ts";
import { wholeMembersProjection } from "../../platform/json-stream/json-shape.ts";
import type { DataSourceDocumentLoadResult, DataSourceResult } from "../fetch/outcome.ts";
import { createJsonDocumentParser } from "../fetch/read-document.ts";
import type { DataSourceClient } from "../fetch/source-client.ts";

/** What the aggregator has gathered of a package; it may be weeks old. */
export interface EcosystemsPackage {
  readonly latestVersion: string | null;
  readonly latestReleasedAt: number | null;
  /** `deprecated`, `abandoned`, `removed`, `unpublished`, `archived`, `quarantined`. */
  readonly status: string | null;
  readonly maintainersCount: number | null;
  readonly dependentsCount: number | null;
  readonly repositoryUrl: string | null;
  readonly archived: boolean | null;
  readonly lastPushAt: number | null;
  readonly license: string | null;
}

const batchSize = 100;

const shape = {
  each: wholeMembersProjection(
    "purl",
    "latest_release_number",
    "latest_release_published_at",
    "status",
    "maintainers_count",
    "maintainers",
    "dependent_packages_count",
    "repository_url",
    "repo_metadata",
    "licenses",
  ),
};

/** ecosyste.ms: many packages of all ecosystems in one request, by their package URLs. */
export class EcosystemsSource {
  readonly client: DataSourceClient;

  constructor(client: DataSourceClient) {
    this.client = client;
  }

  /** One outcome for each package URL, in their order. */
  lookUp(purls: readonly string[]): readonly Promise<DataSourceResult<EcosystemsPackage>>[] {
    return this.client.getMany<string, EcosystemsPackage>({
      items: purls,
      keyOf: (purl) => purl,
      result: "ecosystems.3",
      batchSize,
      request: (items) => ({
        path: "/api/v1/packages/bulk_lookup",
        body: { purls: items },
        read: createJsonDocumentParser(shape, (picked) =>
          resultsOf(items, asJsonObjectElements(picked)),
        ),
        maxBytes: 32 * 1024 * 1024,
      }),
    });
  }
}

/** The answer has what is known, in any order. */
function resultsOf(
  purls: readonly string[],
  packages: readonly JsonObject[],
): readonly DataSourceDocumentLoadResult<EcosystemsPackage>[] {
  const byPurl = new Map(
    packages.map((entry) => [comparable(asNonBlankString(entry["purl"]) ?? ""), entry]),
  );
  return purls.map((purl) => {
    const isOnly = purls.length === 1 && packages.length === 1;
    const found = byPurl.get(comparable(purl)) ?? (isOnly ? packages[0] : undefined);
    return found === undefined
      ? { kind: "missing" }
      : { kind: "document", document: aggregatedPackage(found) };
  });
}

/** Escapes differ between writers of package URLs. */
function comparable(purl: string): string {
  return purl.toLowerCase().replaceAll("%40", "@").replaceAll("%2f", "/");
}

function aggregatedPackage(entry: JsonObject): EcosystemsPackage {
  const { maintainers, repo_metadata: metadata } = entry;
  const repository = asJsonObjectOrEmpty(metadata);
  const listed = Array.isArray(maintainers) ? asArrayOrEmpty(maintainers).length : undefined;
  return {
    latestVersion: truncateToOneLine(entry["latest_release_number"]) ?? null,
    latestReleasedAt: isoDateToEpochMilliseconds(entry["latest_release_published_at"]) ?? null,
    status: asNonBlankString(entry["status"])?.toLowerCase() ?? null,
    maintainersCount: asNonNegativeInteger(entry["maintainers_count"]) ?? listed ?? null,
    dependentsCount: asNonNegativeInteger(entry["dependent_packages_count"]) ?? null,
    repositoryUrl: asUrlWithinLengthLimit(entry["repository_url"]) ?? null,
    archived: asBoolean(repository["archived"]) ?? null,
    lastPushAt: isoDateToEpochMilliseconds(repository["pushed_at"]) ?? null,
    license: readLicenseName(entry["licenses"]) ?? null,
  };
}

/** The repository of a package as a list of links, empty if it is unknown. */
export function toEcosystemsRepositoryLinks(
  found: EcosystemsPackage | undefined,
): { readonly url: string; readonly directory: null }[] {
  const url = found?.repositoryUrl ?? null;
  return url === null ? [] : [{ url, directory: null }];
}
