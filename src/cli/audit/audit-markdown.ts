import { sanitizeTerminalLine } from "../format-cell.ts";
import { buildAuditSummaryJson } from "./audit-json.ts";
import { listAuditFindings, type AuditReport } from "./audit-report.ts";
import {
  toAuditFindingRows,
  formatAuditFindingName,
  type AuditFindingRow,
} from "./finding-lines.ts";

/** The report as a comment of a pull request or a job summary has it. */
export function formatAuditMarkdown(report: AuditReport): string {
  const lines = toAuditFindingRows(report);
  const failing = lines.filter(({ finding }) => finding.isFailing);
  const accepted = lines.filter(
    ({ finding }) => finding.accepted !== undefined && !finding.hasExpired,
  );
  const parts = [
    `## Dependency audit: ${failing.length === 0 ? "passed" : "failed"}`,
    numbers(report),
    failing.length === 0 ? "" : `### Failing\n\n${table(failing)}`,
    accepted.length === 0 ? "" : `### Accepted\n\n${acceptedList(accepted)}`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function numbers(report: AuditReport): string {
  const counts = Object.entries(buildAuditSummaryJson(report));
  const words = counts
    .filter(([name, count]) => name === "total" || count > 0)
    .map(([name, count]) => `${count.toString()} ${name.replaceAll("_", " ")}`);
  const files = report.files.map(({ path, kind }) => `${codeSpan(path)} (${plain(kind)})`);
  const found = listAuditFindings(report).length;
  return `${words.join(", ")}; ${found.toString()} findings in ${files.join(", ")}.`;
}

function table(lines: readonly AuditFindingRow[]): string {
  const head = "| Finding | Package | How it comes here | Where | What |\n|---|---|---|---|---|";
  const rows = lines.map(({ finding, subject, relation, where }) =>
    [formatAuditFindingName(finding), subject, relation, where, finding.message]
      .map(plain)
      .join(" | "),
  );
  return [head, ...rows.map((row) => `| ${row} |`)].join("\n");
}

function acceptedList(lines: readonly AuditFindingRow[]): string {
  return lines
    .map(({ finding, subject }) => {
      const { reason = "", expires = "" } = finding.accepted ?? {};
      return `- ${plain(subject)}, ${plain(formatAuditFindingName(finding))}: ${plain(reason)} (until ${expires})`;
    })
    .join("\n");
}

/** Text of others must not become markup, nor a mention of a user, which no escape prevents. */
function plain(text: string): string {
  return sanitizeTerminalLine(text)
    .replaceAll(/[\\`*_[\]<>|#!~]/g, "\\$&")
    .replaceAll(/(?<!\w)@(?=\w)/g, "@<!-- -->");
}

/** Returns a code span, in which escapes have no meaning: only a longer run of backticks ends it. */
function codeSpan(text: string): string {
  const line = sanitizeTerminalLine(text);
  const runs = [...line.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = "`".repeat(runs.reduce((longest, run) => Math.max(longest, run), 0) + 1);
  const space = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${space}${line}${space}${fence}`;
}
