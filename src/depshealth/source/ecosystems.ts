import { asSourceText, asSourceUrl } from "../fetch/source-text.ts";
import {
  asCount,
  asFlag,
  asList,
  asRecord,
  asRecords,
  asText,
  asTime,
  type JsonObject,
} from "../../platform/json-value.ts";
import { formatLicense } from "../fetch/license-text.ts";
import { allMembers } from "../../platform/json-stream/json-shape.ts";
import type { LoadResult, FetchOutcome } from "../fetch/outcome.ts";
import { jsonReader } from "../fetch/read-document.ts";
import type { SourceClient } from "../fetch/source-client.ts";

/** What the aggregator has gathered of a package; it may be weeks old. */
export interface AggregatedPackage {
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
  each: allMembers(
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
  readonly client: SourceClient;

  constructor(client: SourceClient) {
    this.client = client;
  }

  /** One outcome for each package URL, in their order. */
  lookUp(purls: readonly string[]): readonly Promise<FetchOutcome<AggregatedPackage>>[] {
    return this.client.getMany<string, AggregatedPackage>({
      items: purls,
      keyOf: (purl) => purl,
      result: "ecosystems.3",
      batchSize,
      request: (items) => ({
        path: "/api/v1/packages/bulk_lookup",
        body: { purls: items },
        read: jsonReader(shape, (picked) => resultsOf(items, asRecords(picked))),
        maxBytes: 32 * 1024 * 1024,
      }),
    });
  }
}

/** The answer has what is known, in any order. */
function resultsOf(
  purls: readonly string[],
  packages: readonly JsonObject[],
): readonly LoadResult<AggregatedPackage>[] {
  const byPurl = new Map(packages.map((entry) => [comparable(asText(entry["purl"]) ?? ""), entry]));
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

function aggregatedPackage(entry: JsonObject): AggregatedPackage {
  const { maintainers, repo_metadata: metadata } = entry;
  const repository = asRecord(metadata);
  const listed = Array.isArray(maintainers) ? asList(maintainers).length : undefined;
  return {
    latestVersion: asSourceText(entry["latest_release_number"]) ?? null,
    latestReleasedAt: asTime(entry["latest_release_published_at"]) ?? null,
    status: asText(entry["status"])?.toLowerCase() ?? null,
    maintainersCount: asCount(entry["maintainers_count"]) ?? listed ?? null,
    dependentsCount: asCount(entry["dependent_packages_count"]) ?? null,
    repositoryUrl: asSourceUrl(entry["repository_url"]) ?? null,
    archived: asFlag(repository["archived"]) ?? null,
    lastPushAt: asTime(repository["pushed_at"]) ?? null,
    license: formatLicense(entry["licenses"]) ?? null,
  };
}
