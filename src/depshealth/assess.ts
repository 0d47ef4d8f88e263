import type { Clock } from "../platform/clock.ts";
import { curatedEntry } from "./curated/entries.ts";
import type { LoadedDataset } from "./eol/dataset.ts";
import type { EolSource } from "./eol/eol-source.ts";
import { packageSupport } from "./eol/package-support.ts";
import type { GatherOptions, KnownPackage, PackageFacts, PackageReference } from "./facts.ts";
import { evidenceOf } from "./fetch/source-client.ts";
import { judge } from "./verdict/judge.ts";
import { defaultThresholds } from "./verdict/thresholds.ts";
import type { Judgement, PackageSupport } from "./verdict/verdict.ts";

export interface AssessDependencies {
  readonly facts: PackageFacts;
  /** Undefined: the operator has turned it off, so that no verdict is drawn from it. */
  readonly eol: EolSource | undefined;
  readonly clock: Clock;
}

/** A package with the verdict on it. */
export interface Assessed {
  readonly known: KnownPackage;
  readonly judgement: Judgement;
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
    const { known, support } = withSupport(facts, dataset, now);
    const curated = curatedEntry(known.ecosystem, known.name);
    return {
      known,
      judgement: judge({ known, support, curated, now, thresholds: defaultThresholds }),
    };
  });
}

interface Supported {
  readonly known: KnownPackage;
  readonly support: PackageSupport | undefined;
}

/**
 * What the dataset says of the package. That it has said something is evidence,
 * and so is that no newer copy could be had.
 */
function withSupport(
  known: KnownPackage,
  dataset: LoadedDataset | undefined,
  now: number,
): Supported {
  if (dataset === undefined) return { known, support: undefined };
  const support = packageSupport(dataset.document, known, now);
  const said = evidenceOf("endoflife", "metadata", { state: "found", ...dataset });
  const evidence = said.filter(({ ok }) => !ok || support !== undefined);
  return { known: { ...known, evidence: [...known.evidence, ...evidence] }, support };
}
