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
 * Gathers what is known of packages and judges them, in their order. Rejects
 * only when the signal aborts.
 */
export async function assess(
  { facts, eol, clock }: AssessDependencies,
  references: readonly PackageReference[],
  options: GatherOptions,
): Promise<readonly Assessed[]> {
  const [gathered, dataset] = await Promise.all([facts.gather(references, options), eol?.load()]);
  const now = clock.now();
  return gathered.map((facts) => {
    const { info: known, support } = withSupport(facts, dataset, now);
    const curated = findCuratedEntry(known.ecosystem, known.name);
    return {
      info: known,
      verdict: decideVerdict({ info: known, support, curated, now, thresholds: defaultThresholds }),
    };
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
