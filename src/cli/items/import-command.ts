import { basename } from "node:path";
import type { Command } from "commander";
import { CliError } from "../cli-error.ts";
import { resolveCliProfileContext, type CliProfileContext } from "../cli-context.ts";
import { sanitizeTerminalLine } from "../format-cell.ts";
import { parseOrThrowUsageError } from "../parse-or-usage-error.ts";
import { formatCliResultAsText } from "../format-result.ts";
import { runAndReportCliError } from "../run-command.ts";
import { InvalidAgentExtensionFileError, type ImportedAgentExtension } from "./item-draft.ts";
import { findLocalExtensionFiles } from "./item-files.ts";
import { readAgentsMdFile } from "./read-rules.ts";
import { readSkillFile } from "./read-skill.ts";
import {
  listPersonalExtensions,
  upsertImportedExtension,
  type AgentExtensionImportResult,
} from "./store-items.ts";
import { formatTerminalSafeJson, writeToStderr, writeToStdout } from "../output.ts";

const moreHelp = `
A SKILL.md, in the Agent Skills format, becomes an item of kind skills, an AGENTS.md one of kind
rules; of a folder its own and the SKILL.md of each folder right below it. An item of the same
kind and name is updated. Nothing is sent unless every file can be read.
Examples:
  causeway items import .claude/skills
  causeway items import AGENTS.md --name "house rules"`;

interface ImportFlags {
  readonly name?: string;
  readonly json?: boolean;
}

/** Adds `items import`: skills and rules from the files that other agents read as well. */
export function addItemsImportCommand(items: Command): void {
  const command = items.command("import");
  command
    .description("Makes items of a SKILL.md, an AGENTS.md or a folder, or updates them")
    .argument("<path>", "the file, or a folder of them")
    .option("--name <text>", "what the rules are called (default: <folder>/AGENTS.md)")
    .option("--json", "print what became of each file as JSON")
    .addHelpText("after", moreHelp);
  command.action(async (path: string) => {
    const { name, json } = command.opts<ImportFlags>();
    const files = parseOrThrowUsageError(command, () => findLocalExtensionFiles(path));
    await runAndReportCliError(async () => {
      const drafts = readAll(files, name);
      for (const warning of drafts.flatMap(({ warnings }) => warnings)) {
        writeToStderr(`warning: ${sanitizeTerminalLine(warning)}`);
      }
      await store(drafts, resolveCliProfileContext(command), json === true);
    });
  });
}

/** Throws a `CliError` with all that is wrong with the files. */
function readAll(
  files: readonly string[],
  name: string | undefined,
): readonly ImportedAgentExtension[] {
  const drafts: ImportedAgentExtension[] = [];
  const faults: string[] = [];
  for (const file of files) {
    try {
      const draft =
        basename(file) === "SKILL.md" ? readSkillFile(file) : readAgentsMdFile(file, name);
      const same = drafts.find((other) => other.kind === draft.kind && other.name === draft.name);
      if (same !== undefined)
        throw new InvalidAgentExtensionFileError(
          file,
          `is called ${draft.name}, as ${same.file} is`,
        );
      drafts.push(draft);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      faults.push(sanitizeTerminalLine(error.message));
    }
  }
  if (faults.length > 0) throw new CliError([...faults, "Nothing was imported."].join("\n"));
  return drafts;
}

/** What was stored is told also where a later one was refused. */
async function store(
  drafts: readonly ImportedAgentExtension[],
  caller: CliProfileContext,
  asJson: boolean,
): Promise<void> {
  const data: AgentExtensionImportResult[] = [];
  try {
    const items = await listPersonalExtensions(caller);
    for (const draft of drafts) data.push(await upsertImportedExtension(draft, items, caller));
  } finally {
    const rows = data.map((item) => ({ ...item }));
    if (asJson) writeToStdout(formatTerminalSafeJson({ data }));
    else if (rows.length > 0) writeToStdout(formatCliResultAsText({ data: rows }));
  }
}
