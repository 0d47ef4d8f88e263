import { lookupTable } from "../../platform/lookup-table.ts";
import type { AdvisorySeverity } from "../facts.ts";

/** Worst first. */
export const severities: readonly AdvisorySeverity[] = [
  "critical",
  "high",
  "moderate",
  "low",
  "unknown",
];

const words = lookupTable<AdvisorySeverity>({
  critical: "critical",
  high: "high",
  important: "high",
  moderate: "moderate",
  medium: "moderate",
  low: "low",
});

/** What a database says of a flaw: its word, or else the score of its vector. */
export function severityOf(said: {
  readonly severityWord: string | null;
  readonly vectors: readonly string[];
}): AdvisorySeverity {
  const word = words.get(said.severityWord?.toLowerCase() ?? "");
  if (word !== undefined) return word;
  const texts = [...said.vectors, ...(said.severityWord === null ? [] : [said.severityWord])];
  const scores = texts.map(scoreOf).filter((score) => score !== undefined);
  return scores.length === 0 ? "unknown" : ofScore(Math.max(...scores));
}

export function worst(found: readonly AdvisorySeverity[]): AdvisorySeverity {
  return severities.find((severity) => found.includes(severity)) ?? "unknown";
}

function ofScore(score: number): AdvisorySeverity {
  if (score >= 9) return "critical";
  if (score >= 7) return "high";
  return score >= 4 ? "moderate" : "low";
}

/** A number, or a vector of CVSS 3. Those of other versions are not reckoned here. */
function scoreOf(text: string): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
  return /^CVSS:3\.[01]\//.test(text) ? baseScore(metricsOf(text)) : undefined;
}

function metricsOf(vector: string): ReadonlyMap<string, string> {
  const pairs = vector.split("/").slice(1);
  return new Map(pairs.map((pair) => pair.split(":") as [string, string]));
}

const weights = lookupTable<ReadonlyMap<string, number>>({
  AV: lookupTable({ N: 0.85, A: 0.62, L: 0.55, P: 0.2 }),
  AC: lookupTable({ L: 0.77, H: 0.44 }),
  UI: lookupTable({ N: 0.85, R: 0.62 }),
  C: lookupTable({ H: 0.56, L: 0.22, N: 0 }),
  I: lookupTable({ H: 0.56, L: 0.22, N: 0 }),
  A: lookupTable({ H: 0.56, L: 0.22, N: 0 }),
});
const privileges = lookupTable<readonly [number, number]>({
  N: [0.85, 0.85],
  L: [0.62, 0.68],
  H: [0.27, 0.5],
});

/** Base score of CVSS 3.1 (specification, section 7.1). */
function baseScore(metrics: ReadonlyMap<string, string>): number | undefined {
  const weight = (name: string): number =>
    weights.get(name)?.get(metrics.get(name) ?? "") ?? Number.NaN;
  const isChanged = metrics.get("S") === "C";
  const privilege = privileges.get(metrics.get("PR") ?? "")?.[isChanged ? 1 : 0] ?? Number.NaN;
  const harm = 1 - (1 - weight("C")) * (1 - weight("I")) * (1 - weight("A"));
  const impact = isChanged ? 7.52 * (harm - 0.029) - 3.25 * (harm - 0.02) ** 15 : 6.42 * harm;
  const ease = 8.22 * weight("AV") * weight("AC") * privilege * weight("UI");
  const score = impact <= 0 ? 0 : roundUp(Math.min((isChanged ? 1.08 : 1) * (impact + ease), 10));
  return Number.isNaN(score) ? undefined : score;
}

/** To one decimal, without the errors of binary fractions. */
function roundUp(value: number): number {
  const whole = Math.round(value * 100_000);
  return whole % 10_000 === 0 ? whole / 100_000 : (Math.floor(whole / 10_000) + 1) / 10;
}
