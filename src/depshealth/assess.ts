import type { Clock } from "../platform/clock.ts";
import { findCuratedEntry } from "./curated/entries.ts";
import type { LoadedDataset } from "./eol/dataset.ts";
import type { EolSource } from "./eol/eol-source.ts";
import { findPackageSupport } from "./eol/package-support.ts";
import type { GatherOptions, PackageInfo, PackageFacts, PackageReference } from "./facts.ts";
import { toEvidence } from "./fetch/source-client.ts";
import { decideVerdict } from "./verdict/decide-verdict.ts";
import { defaultThresholds } from "./verdict/thresholds.ts";
import type { VerdictResult, PackageSupport } from "./verdict/verdict.ts";

export interface AssessDependencies {
  readonly facts: PackageFacts;
  /** Undefined: the operator has turned it off, so that no verdict is drawn from it. */
  readonly eol: EolSource | undefined;
  readonly clock: Clock;
}

/** A package with the verdict on it. */
export interface Assessed {
  readonly info: PackageInfo;
  readonly verdict: VerdictResult;
}

/**
 * Gathers what is known of packages and judges them. Returns in their order what `use` makes of
 * each, which should not have all versions of a package in it. Rejects only when the signal aborts.
 */
export async function assess<Result>(
  { facts, eol, clock }: AssessDependencies,
  references: readonly PackageReference[],
  options: GatherOptions,
  use: (assessed: Assessed, index: number) => Result,
): Promise<readonly Result[]> {
  const loading = eol?.load();
  return facts.gatherEach(references, options, async (gathered, index) => {
    const dataset = await loading;
    const now = clock.now();
    const { info, support } = withSupport(gathered, dataset, now);
    const curated = findCuratedEntry(info.ecosystem, info.name);
    const thresholds = defaultThresholds;
    return use(
      { info, verdict: decideVerdict({ info, support, curated, now, thresholds }) },
      index,
    );
  });
}

interface Supported {
  readonly info: PackageInfo;
  readonly support: PackageSupport | undefined;
}

/**
 * What the dataset says of the package. That it has said something is evidence,
 * and so is that no newer copy could be had.
 */
function withSupport(
  known: PackageInfo,
  dataset: LoadedDataset | undefined,
  now: number,
): Supported {
  if (dataset === undefined) return { info: known, support: undefined };
  const support = findPackageSupport(dataset.document, known, now);
  const said = toEvidence("endoflife", "metadata", { state: "found", ...dataset });
  const evidence = said.filter(({ ok }) => !ok || support !== undefined);
  return { info: { ...known, evidence: [...known.evidence, ...evidence] }, support };
}
