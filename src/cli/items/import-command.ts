import { basename } from "node:path";
import type { Command } from "commander";
import { CallError } from "../call-error.ts";
import { callerOf, type Caller } from "../caller.ts";
import { printable } from "../cell.ts";
import { orUsageError } from "../or-usage-error.ts";
import { readable } from "../print.ts";
import { tell } from "../tell.ts";
import { BadItemFile, type ItemDraft } from "./item-draft.ts";
import { itemFiles } from "./item-files.ts";
import { readRules } from "./read-rules.ts";
import { readSkill } from "./read-skill.ts";
import { listOwnItems, storeItem, type StoredItem } from "./store-items.ts";

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
export function addImportCommand(items: Command): void {
  const command = items.command("import");
  command
    .description("Makes items of a SKILL.md, an AGENTS.md or a folder, or updates them")
    .argument("<path>", "the file, or a folder of them")
    .option("--name <text>", "what the rules are called (default: <folder>/AGENTS.md)")
    .option("--json", "print what became of each file as JSON")
    .addHelpText("after", moreHelp);
  command.action(async (path: string) => {
    const { name, json } = command.opts<ImportFlags>();
    const files = orUsageError(command, () => itemFiles(path));
    await tell(async () => {
      const drafts = readAll(files, name);
      for (const warning of drafts.flatMap(({ warnings }) => warnings)) {
        console.error(`warning: ${printable(warning)}`);
      }
      await store(drafts, callerOf(command), json === true);
    });
  });
}

/** Throws a `CallError` with all that is wrong with the files. */
function readAll(files: readonly string[], name: string | undefined): readonly ItemDraft[] {
  const drafts: ItemDraft[] = [];
  const faults: string[] = [];
  for (const file of files) {
    try {
      const draft = basename(file) === "SKILL.md" ? readSkill(file) : readRules(file, name);
      const same = drafts.find((other) => other.kind === draft.kind && other.name === draft.name);
      if (same !== undefined)
        throw new BadItemFile(file, `is called ${draft.name}, as ${same.file} is`);
      drafts.push(draft);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      faults.push(printable(error.message));
    }
  }
  if (faults.length > 0) throw new CallError([...faults, "Nothing was imported."].join("\n"));
  return drafts;
}

/** What was stored is told also where a later one was refused. */
async function store(drafts: readonly ItemDraft[], caller: Caller, asJson: boolean): Promise<void> {
  const data: StoredItem[] = [];
  try {
    const items = await listOwnItems(caller);
    for (const draft of drafts) data.push(await storeItem(draft, items, caller));
  } finally {
    const rows = data.map((item) => ({ ...item }));
    if (asJson) console.log(JSON.stringify({ data }, undefined, 2));
    else if (rows.length > 0) console.log(readable({ data: rows }));
  }
}
