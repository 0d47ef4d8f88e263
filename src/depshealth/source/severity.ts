import calculator, {
  type Cvss2,
  type Cvss3P0,
  type Cvss3P1,
  type Cvss4P0,
} from "ae-cvss-calculator";
import { recordToMap } from "../../platform/lookup-table.ts";
import type { AdvisorySeverity } from "../facts.ts";

/** Worst first. */
export const advisorySeverities: readonly AdvisorySeverity[] = [
  "critical",
  "high",
  "moderate",
  "low",
  "unknown",
];

const words = recordToMap<AdvisorySeverity>({
  critical: "critical",
  high: "high",
  important: "high",
  moderate: "moderate",
  medium: "moderate",
  low: "low",
});

/** What a database says of a flaw: its word, or else the score of its vector. */
export function toAdvisorySeverity(said: {
  readonly severityWord: string | null;
  readonly vectors: readonly string[];
}): AdvisorySeverity {
  const word = words.get(said.severityWord?.toLowerCase() ?? "");
  if (word !== undefined) return word;
  const texts = [...said.vectors, ...(said.severityWord === null ? [] : [said.severityWord])];
  const scores = texts.map(scoreOf).filter((score) => score !== undefined);
  return scores.length === 0
    ? "unknown"
    : ofScore(scores.reduce((worst, score) => Math.max(worst, score)));
}

export function findWorstAdvisorySeverity(found: readonly AdvisorySeverity[]): AdvisorySeverity {
  return advisorySeverities.find((severity) => found.includes(severity)) ?? "unknown";
}

/** Returns whether a text is a score, or a vector with a score, above zero. */
export function isSeverityScore(text: string): boolean {
  return (scoreOf(text) ?? 0) > 0;
}

function ofScore(score: number): AdvisorySeverity {
  if (score >= 9) return "critical";
  if (score >= 7) return "high";
  return score >= 4 ? "moderate" : "low";
}

/** The newest version, which has the most metrics, has 32. */
const vectorPattern = /^(?:CVSS:(?:3\.[01]|4\.0)\/)?(?:\w+:\w+(?:\/|$)){1,40}$/;

/** A number, or the base score of a vector of CVSS 2, 3 or 4 (first.org/cvss). */
function scoreOf(text: string): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
  // The calculator writes to the console about what has not even the form.
  if (!vectorPattern.test(text)) return undefined;
  const vector = calculator.fromVector(text) as Cvss2 | Cvss3P0 | Cvss3P1 | Cvss4P0 | null;
  if (vector === null || !vector.isBaseFullyDefined()) return undefined;
  const isNewest = vector instanceof calculator.Cvss4P0;
  return isNewest ? vector.calculateScores().baseMetricsOnly : vector.calculateScores().base;
}
