import type { ConformanceCaseReport, ConformanceReport } from "../../conformance/report.ts";
import { sanitizeTerminalLine } from "../format-cell.ts";

const words = { passed: "pass", failed: "FAIL", skipped: "skip" } as const;

/** The report as a person reads it: a line for each case, a dialect after the other, and the score. */
export function formatDialectConformanceReport(report: ConformanceReport): string {
  const { cases, passed, failed, skipped } = report;
  const dialects = [...new Set(cases.map(({ dialect }) => dialect))];
  const width = Math.max(0, ...cases.map(({ name }) => name.length));
  const sections = dialects.map((dialect) =>
    section(
      dialect,
      cases.filter((item) => item.dialect === dialect),
      width,
    ),
  );
  const score = `${passed} passed, ${failed} failed, ${skipped} skipped`;
  const target = `${report.base_url} with ${report.model}`;
  return [...sections, sanitizeTerminalLine(`${target}: ${score}`)].join("\n\n");
}

function section(dialect: string, cases: readonly ConformanceCaseReport[], width: number): string {
  const passed = cases.filter(({ outcome }) => outcome === "passed").length;
  const judged = cases.filter(({ outcome }) => outcome !== "skipped").length;
  const lines = cases.map((item) => line(item, width));
  return [`${dialect}: ${passed} of ${judged}`, ...lines].join("\n");
}

/** A failure tells what must hold, and what was there instead. */
function line({ name, outcome, reason, holds }: ConformanceCaseReport, width: number): string {
  const head = `  ${words[outcome]}  ${name.padEnd(width)}`;
  if (outcome === "passed") return head.trimEnd();
  const said = outcome === "failed" ? `${holds}\n        ${reason ?? ""}` : (reason ?? "");
  return `${head}  ${said.split("\n").map(sanitizeTerminalLine).join("\n")}`;
}
