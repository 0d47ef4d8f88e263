import type { Clock } from "../platform/clock.ts";
import { curatedEntry } from "./curated/entries.ts";
import type { EolDataset } from "./eol/dataset.ts";
import type { EolSource } from "./eol/eol-source.ts";
import { packageSupport } from "./eol/package-support.ts";
import type {
  Evidence,
  GatherOptions,
  KnownPackage,
  PackageFacts,
  PackageReference,
} from "./facts.ts";
import type { Outcome } from "./fetch/outcome.ts";
import { judge } from "./verdict/judge.ts";
import { defaultThresholds } from "./verdict/thresholds.ts";
import type { Judgement, PackageSupport } from "./verdict/verdict.ts";

export interface AssessParts {
  readonly facts: PackageFacts;
  /** Undefined: the operator has turned it off. */
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
  { facts, eol, clock }: AssessParts,
  references: readonly PackageReference[],
  options: GatherOptions,
): Promise<readonly Assessed[]> {
  const [gathered, dataset] = await Promise.all([
    facts.gather(references, options),
    eol === undefined ? undefined : inTime(eol, clock),
  ]);
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

/** How long a verdict waits for the dataset, which only the first one ever has to. */
const patienceMs = 5000;

/** The dataset, if it comes soon enough. */
function inTime(eol: EolSource, clock: Clock): Promise<Outcome<EolDataset>> {
  const { promise, resolve } = Promise.withResolvers<Outcome<EolDataset>>();
  const timer = setTimeout(() => {
    const failure = { message: "did not answer in time", at: clock.now() };
    resolve({ state: "failed", failure });
  }, patienceMs);
  void eol
    .load()
    .then(resolve)
    .finally(() => clearTimeout(timer));
  return promise;
}

interface Supported {
  readonly known: KnownPackage;
  readonly support: PackageSupport | undefined;
}

/** What the dataset says of the package; that it has said something, or could not be asked, is evidence. */
function withSupport(
  known: KnownPackage,
  outcome: Outcome<EolDataset> | undefined,
  now: number,
): Supported {
  if (outcome === undefined) return { known, support: undefined };
  if (outcome.state !== "found") {
    const error = `The source ${outcome.failure?.message ?? "does not have it"}.`;
    return {
      known: withEvidence(known, { ok: false, observedAt: now, error }),
      support: undefined,
    };
  }
  const support = packageSupport(outcome.document, known, now);
  if (support === undefined) return { known, support };
  return { known: withEvidence(known, { ok: true, observedAt: outcome.observedAt }), support };
}

function withEvidence(
  known: KnownPackage,
  said: Pick<Evidence, "ok" | "observedAt" | "error">,
): KnownPackage {
  const evidence: Evidence = { source: "endoflife", kind: "metadata", ...said };
  return { ...known, evidence: [...known.evidence, evidence] };
}
