import { Option, type Command } from "commander";
import { DepshealthService } from "../../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import { dependencyFileFormats } from "../../manifest/file-formats.ts";
import { resolveCliProfileContext } from "../cli-context.ts";
import { sanitizeTerminalLine } from "../format-cell.ts";
import { readProtoCommentSummary } from "../../contract/comments.ts";
import { parseOrThrowUsageError } from "../parse-or-usage-error.ts";
import { runAndReportCliError } from "../run-command.ts";
import { auditFindingNames, exitCodeWhenFindings, createFailOnParser } from "../tools/findings.ts";
import { fetchAuditQueryResults } from "./fetch-query-pages.ts";
import { readAuditFiles } from "./read-audit-files.ts";
import { buildAuditJson } from "./audit-json.ts";
import { formatAuditMarkdown } from "./audit-markdown.ts";
import { buildAuditReport, listAuditFindings, type AuditReport } from "./audit-report.ts";
import { buildAuditSarif } from "./audit-sarif.ts";
import { formatAuditText } from "./audit-text.ts";
import type { DependencyFileToAudit } from "./audit-file.ts";
import {
  createAuditBaselineEntry,
  assertReplaceableFile,
  AuditBaseline,
  isAuditBaselineEntryExpired,
  readAuditBaselineEntries,
  readAuditBaselineOrEmpty,
  writeAuditBaselineEntries,
  type AuditBaselineEntry,
} from "./baseline.ts";
import { splitIntoQueryPages } from "./query-pages.ts";
import { startProgressBar } from "./progress-bar.ts";
import { buildAuditPackageQueries } from "./package-query.ts";
import { formatTerminalSafeJson, writeToStderr, writeToStdout } from "../output.ts";

const { depsAudit } = DepshealthService.method;

/** A job must not pass on what does harm, on what is not there, or on what nobody has looked at. */
const defaultFailOn = "malicious,deprecated,not-found,not-assessed,unparsed,high";

const defaultAcceptedDays = 90;

const moreHelp = `
Files: ${dependencyFileFormats.map(({ name }) => name).join(", ")}.
Of a folder every file of such a name is read, also in folders below; a manifest that a lock file
pins is read through the lock file. - is standard input.
Files that lead out of the folder, hidden and special files are skipped, and count as unparsed;
a line that is no requirement is counted, and its text is never shown.
--fail-on: an advisory is meant by its severity or a lower one (high: high and critical), or by
advisories; none never fails.
Exit codes: 0, nothing of --fail-on was found, or it was accepted; 1, the server refused or cannot
be reached; 2, the command line was not understood, or a file cannot be opened;
${exitCodeWhenFindings.toString()}, something of --fail-on was found.
Examples:
  causeway audit .
  causeway audit package-lock.json --fail-on malicious,critical --sarif > audit.sarif
  causeway audit . --write-baseline audit-baseline.json --reason "TRACK-12: replaced in March"
  causeway audit . --baseline audit-baseline.json`;

interface AuditFlags {
  readonly context: string;
  readonly failOn: ReadonlySet<string>;
  readonly kind: string;
  readonly all?: boolean;
  readonly json?: boolean;
  readonly sarif?: boolean;
  readonly markdown?: boolean;
  readonly baseline?: string;
  readonly writeBaseline?: string;
  readonly reason?: string;
  readonly expires?: string;
}

/** Adds `audit`: reads manifests, lock files and bills of materials, and asks about all they name. */
export function addAuditCommand(program: Command): void {
  const command = program.command("audit <paths...>");
  command.description(readProtoCommentSummary(`${depsAudit.parent.typeName}.${depsAudit.name}`));
  addOptions(command);
  command.addHelpText("after", moreHelp);
  command.action(async (paths: string[]) => {
    const flags = command.opts<AuditFlags>();
    const baseline = parseOrThrowUsageError(command, () => readBaselineOption(flags));
    const files = parseOrThrowUsageError(command, () => readAuditFiles(paths, flags.kind));
    if (files.length === 0) {
      return command.error(`error: there is no file to audit in ${paths.join(", ")}`);
    }
    await runAndReportCliError(() => audit(command, files, baseline));
  });
}

function addOptions(command: Command): void {
  const code = exitCodeWhenFindings.toString();
  const read = createFailOnParser(auditFindingNames);
  const failOn = new Option(
    "--fail-on <words>",
    `end with ${code} when one of these is found: none, or some of ${auditFindingNames.join(", ")}`,
  );
  const kinds = new Option("--kind <kind>", "what the files are").default("auto");
  command
    .option("--context <sentence>", "what you are about", "Auditing dependencies")
    .addOption(failOn.argParser(read).default(read(defaultFailOn), defaultFailOn))
    .addOption(kinds.choices(["auto", ...dependencyFileFormats.map(({ name }) => name)]))
    .option("--all", "list the packages without a finding as well")
    .addOption(new Option("--json", "print the whole report as JSON"))
    .addOption(new Option("--sarif", "print SARIF 2.1.0").conflicts(["json"]))
    .addOption(new Option("--markdown", "print Markdown").conflicts(["json", "sarif"]))
    .option("--baseline <file>", "findings that are accepted for some time")
    .option("--write-baseline <file>", "accept what fails now: add it to this file, and end with 0")
    .option("--reason <text>", "why, for --write-baseline")
    .option(
      "--expires <day>",
      `until when, for --write-baseline (default: ${defaultAcceptedDays.toString()} days from now)`,
    );
}

/** What is accepted already. Throws for a file that cannot be read, and for a writing without a reason. */
function readBaselineOption({
  baseline,
  writeBaseline: written,
  reason,
  expires,
}: AuditFlags): AuditBaselineEntry[] {
  if (written !== undefined && (reason ?? "").trim() === "") {
    throw new Error("--write-baseline needs a --reason");
  }
  if (expires !== undefined && !isDay(expires)) {
    throw new Error("--expires must be a day such as 2027-01-31");
  }
  if (expires !== undefined && expires < new Date().toISOString().slice(0, 10)) {
    throw new Error(`--expires: ${expires} is over; name a later day`);
  }
  if (written !== undefined) assertReplaceableFile(written);
  const given = baseline === undefined ? [] : readAuditBaselineEntries(baseline);
  if (written === undefined || written === baseline) return given;
  return [...given, ...readAuditBaselineOrEmpty(written)];
}

function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  // February 31 would be a day of March.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(`${text}T`);
}

async function audit(
  command: Command,
  files: readonly DependencyFileToAudit[],
  baseline: readonly AuditBaselineEntry[],
): Promise<void> {
  const flags = command.opts<AuditFlags>();
  const { questions, unparsed } = buildAuditPackageQueries(files);
  const total = questions.length;
  const progress = startProgressBar(
    `auditing ${total.toString()} packages of ${namesOf(files)}`,
    total,
  );
  const caller = resolveCliProfileContext(command);
  const answers = await fetchAuditQueryResults(
    splitIntoQueryPages(questions),
    flags.context,
    caller,
    progress.update,
  ).finally(() => progress.done());
  const checkedAt = new Date().toISOString();
  const today = checkedAt.slice(0, 10);
  const terms = { failOn: flags.failOn, baseline: new AuditBaseline(baseline, today), today };
  const answerOf = new Map(answers.map((answer) => [answer.query, answer]));
  const ordered = questions.flatMap((question) => answerOf.get(question) ?? []);
  const report = buildAuditReport({ files, results: ordered, unparsed, checkedAt }, terms);
  writeToStdout(textOf(report, flags));
  if (flags.writeBaseline !== undefined) accept(report, flags.writeBaseline, flags, baseline);
  else if (listAuditFindings(report).some(({ isFailing }) => isFailing)) {
    process.exitCode = exitCodeWhenFindings;
  }
}

function namesOf(files: readonly DependencyFileToAudit[]): string {
  const [first] = files;
  if (files.length === 1 && first !== undefined) {
    return sanitizeTerminalLine(first.path === "-" ? "standard input" : first.path);
  }
  return `${files.length.toString()} files`;
}

function textOf(report: AuditReport, { json, sarif, markdown, all }: AuditFlags): string {
  if (json === true) return formatTerminalSafeJson(buildAuditJson(report));
  if (sarif === true) return formatTerminalSafeJson(buildAuditSarif(report));
  return markdown === true ? formatAuditMarkdown(report) : formatAuditText(report, all === true);
}

/** Entries that have expired or that nobody needs are not written again. */
function accept(
  report: AuditReport,
  path: string,
  { reason = "", expires }: AuditFlags,
  baseline: readonly AuditBaselineEntry[],
): void {
  const today = report.checkedAt.slice(0, 10);
  const until = expires ?? dayAfter(report.checkedAt, defaultAcceptedDays);
  const unused = new Set(report.unused);
  const kept = baseline.filter(
    (entry) => !isAuditBaselineEntryExpired(entry, today) && !unused.has(entry),
  );
  const added = listAuditFindings(report)
    .filter(({ isFailing }) => isFailing)
    .map((found) => createAuditBaselineEntry(found, { reason, expires: until }));
  writeAuditBaselineEntries(path, [...kept, ...added]);
  writeToStderr(`${path}: ${added.length.toString()} findings accepted until ${until}`);
}

function dayAfter(time: string, days: number): string {
  return new Date(Date.parse(time) + days * 86_400_000).toISOString().slice(0, 10);
}
