import type { Clock } from "../platform/clock.ts";
import { findCuratedPackageEntry } from "./curated/entries.ts";
import type { LoadedEolDataset } from "./eol/dataset.ts";
import type { EolDatasetLoader } from "./eol/eol-source.ts";
import { findPackageEolSupport } from "./eol/package-support.ts";
import type {
  FactsGatheringOptions,
  PackageInfo,
  PackageFactsGatherer,
  PackageReference,
} from "./facts.ts";
import { toDataSourceEvidence } from "./fetch/source-client.ts";
import { decideMaintenanceVerdict } from "./verdict/decide-verdict.ts";
import { defaultMaintenanceVerdictThresholds } from "./verdict/thresholds.ts";
import type { MaintenanceVerdictResult, PackageEolSupport } from "./verdict/verdict.ts";

export interface AssessmentDependencies {
  readonly facts: PackageFactsGatherer;
  /** Undefined: the operator has turned it off, so that no verdict is drawn from it. */
  readonly eol: EolDatasetLoader | undefined;
  readonly clock: Clock;
}

/** A package with the verdict on it. */
export interface AssessedPackage {
  readonly info: PackageInfo;
  readonly verdict: MaintenanceVerdictResult;
}

/**
 * Gathers what is known of packages and judges them. Returns in their order what `use` makes of
 * each, which should not have all versions of a package in it. Rejects only when the signal aborts.
 */
export async function assessPackages<Result>(
  { facts, eol, clock }: AssessmentDependencies,
  references: readonly PackageReference[],
  options: FactsGatheringOptions,
  use: (assessed: AssessedPackage, index: number) => Result,
): Promise<readonly Result[]> {
  const loading = eol?.load();
  return facts.gatherEach(references, options, async (gathered, index) => {
    const dataset = await loading;
    const now = clock.now();
    const { info, support } = withSupport(gathered, dataset, now);
    const curated = findCuratedPackageEntry(info.ecosystem, info.name);
    const thresholds = defaultMaintenanceVerdictThresholds;
    return use(
      { info, verdict: decideMaintenanceVerdict({ info, support, curated, now, thresholds }) },
      index,
    );
  });
}

interface Supported {
  readonly info: PackageInfo;
  readonly support: PackageEolSupport | undefined;
}

/**
 * What the dataset says of the package. That it has said something is evidence,
 * and so is that no newer copy could be had.
 */
function withSupport(
  known: PackageInfo,
  dataset: LoadedEolDataset | undefined,
  now: number,
): Supported {
  if (dataset === undefined) return { info: known, support: undefined };
  const support = findPackageEolSupport(dataset.document, known, now);
  const said = toDataSourceEvidence("endoflife", "metadata", { state: "found", ...dataset });
  const evidence = said.filter(({ ok }) => !ok || support !== undefined);
  return { info: { ...known, evidence: [...known.evidence, ...evidence] }, support };
}
