import type { AuditedFile, FoundInFile } from "./read-report.ts";

/** What an audit found, in Markdown: numbers, then every finding with why it stays. */
export function auditTable(audited: AuditedFile): string {
  const { checkedAt, packages, findings, withAdvisories } = audited;
  const counts = `On ${checkedAt.slice(0, 10)}: ${packages} packages, ${findings.length} findings.`;
  const head = withAdvisories
    ? counts
    : `${counts} The registry was asked; the source of advisories could not be reached.`;
  if (findings.length === 0) return head;
  const titles = ["Package", "How it comes here", "Finding", "Why it stays"];
  const rows = findings.map((found) => [
    found.subject,
    found.relation,
    found.finding,
    whyOf(found),
  ]);
  const lines = [titles, titles.map(() => "---"), ...rows];
  const table = lines.map((cells) => `| ${cells.map(plain).join(" | ")} |`);
  return `${head}\n\n${table.join("\n")}`;
}

function whyOf({ accepted, isFailing, message }: FoundInFile): string {
  if (accepted !== undefined) return `${accepted.reason} (until ${accepted.expires})`;
  return isFailing ? `It does not: ${message}` : `No reason is needed: ${message}`;
}

/** Text of others must not become markup. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_[\]<>|]/g, String.raw`\$&`);
}
