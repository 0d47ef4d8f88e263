import { closeSync, existsSync, openSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { sameName } from "../../manifest/same-name.ts";
import { UnreadableText } from "../../manifest/dependency-file.ts";
import { ecosystems, type Ecosystem } from "../../platform/ecosystem.ts";
import type { Finding } from "./audit-findings.ts";
import { readBoundedText } from "./bounded-text.ts";

/** What a finding is about: a package of some version, or a text of a file. */
export type Subject =
  | { readonly ecosystem: Ecosystem; readonly name: string; readonly version: string | null }
  | {
      readonly file: string;
      readonly text: string;
      /** What a written entry has in place of the text. */
      readonly shown: string;
    };

const shared = {
  /** A rule (`deprecated`), or the id of an advisory. */
  finding: z.string().min(1),
  reason: z.string().trim().min(1, "say why it is accepted"),
  /** The last day on which it is, UTC. */
  expires: z.iso.date("must be a day such as 2027-01-31"),
};

const entrySchema = z.union([
  z.strictObject({
    ecosystem: z.enum(ecosystems),
    name: z.string().min(1),
    /** Left out: every version. */
    version: z.string().optional(),
    ...shared,
  }),
  z.strictObject({ file: z.string().min(1), text: z.string(), ...shared }),
]);

const baselineSchema = z.strictObject({
  version: z.literal(1),
  accepted: z.array(entrySchema),
});

/** A finding that was accepted, until a day and for a reason. */
export type BaselineEntry = z.infer<typeof entrySchema>;

/**
 * Reads a baseline file. Throws an error that names the place for anything else, without its
 * contents: in a stranger's repository the file may be a link to anything.
 */
export function readBaseline(path: string): BaselineEntry[] {
  const read = baselineSchema.safeParse(parse(textOf(path), path));
  if (read.success) return read.data.accepted;
  const [issue] = read.error.issues;
  const isUnknown = issue?.code === "unrecognized_keys";
  const message = isUnknown ? "has an unknown member" : (issue?.message ?? "is not read");
  throw new Error(`${path}: ${issue?.path.join(".") ?? ""}: ${message}`);
}

function textOf(path: string): string {
  const descriptor = openSync(path, "r");
  try {
    return readBoundedText(descriptor);
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    throw new Error(`${path}: ${error.message}`, { cause: error });
  } finally {
    closeSync(descriptor);
  }
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text.
    throw new Error(`${path} is no JSON`);
  }
}

/** The entry that accepts a finding, an expired one where none that still counts does. */
export function findAcceptance(
  entries: readonly BaselineEntry[],
  subject: Subject,
  finding: Finding,
  today: string,
): BaselineEntry | undefined {
  const fitting = entries.filter((entry) => fits(entry, subject) && names(entry, finding));
  return fitting.find((entry) => !isExpired(entry, today)) ?? fitting[0];
}

/** The day itself still counts. */
export function isExpired({ expires }: BaselineEntry, today: string): boolean {
  return today > expires;
}

function fits(entry: BaselineEntry, subject: Subject): boolean {
  if ("file" in entry || "file" in subject) {
    return (
      "file" in entry &&
      "file" in subject &&
      entry.file === subject.file &&
      (entry.text === subject.text || entry.text === subject.shown)
    );
  }
  const { ecosystem } = entry;
  const isSame =
    ecosystem === subject.ecosystem &&
    sameName(ecosystem, entry.name) === sameName(ecosystem, subject.name);
  return isSame && (entry.version === undefined || entry.version === subject.version);
}

/** An advisory is accepted by any of its ids, so that another one of the package is not. */
function names({ finding: accepted }: BaselineEntry, { rule, ids, severity }: Finding): boolean {
  if (rule !== "advisory") return accepted === rule;
  return ids.includes(accepted) || (ids.length === 0 && accepted === severity);
}

/** What a finding is called in a baseline file. */
export function acceptedName({ rule, ids, severity }: Finding): string {
  return rule === "advisory" ? (ids[0] ?? severity ?? rule) : rule;
}

/** Adds entries to a baseline file, or makes it. Those that have expired or nobody needs are left out. */
export function writeBaseline(path: string, accepted: readonly BaselineEntry[]): void {
  writeFileSync(path, `${JSON.stringify({ version: 1, accepted }, undefined, 2)}\n`);
}

/** The entries of a file that may not be there yet. */
export function readBaselineIfThere(path: string): BaselineEntry[] {
  return existsSync(path) ? readBaseline(path) : [];
}
