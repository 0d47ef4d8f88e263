import { closeSync, lstatSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { normalizePackageName } from "../../manifest/normalize-name.ts";
import { DependencyFileSyntaxError } from "../../manifest/dependency-file.ts";
import { packageEcosystems, type PackageEcosystem } from "../../platform/ecosystem.ts";
import type { AuditFinding } from "./audit-findings.ts";
import { CliError } from "../cli-error.ts";
import { openRegularFile } from "../regular-file.ts";
import { readFileTextWithinLimit } from "./bounded-text.ts";

/** What a finding is about: a package of some version, or a text of a file. */
export type AuditFindingSubject =
  | { readonly ecosystem: PackageEcosystem; readonly name: string; readonly version: string | null }
  | UnparsedTextFingerprint;

/** A text of a file that was not read. */
export interface UnparsedTextFingerprint {
  readonly file: string;
  /** The whole text, or its beginning. */
  readonly text: string;
  readonly isWhole: boolean;
  /** SHA-256 of the whole text, in hex. */
  readonly textDigest: string;
  /** SHA-256 of the word of the reason, a space and `textDigest`, in hex. */
  readonly digest: string;
  /** What is shown in place of the text: itself, a part of it or its line. */
  readonly shown: string;
}

const shared = {
  /** A rule (`deprecated`), or the id of an advisory. */
  finding: z.string().min(1),
  reason: z.string().trim().min(1, "say why it is accepted"),
  /** The last day on which it is, UTC. */
  expires: z.iso.date("must be a day such as 2027-01-31"),
};

const entrySchema = z.union([
  z.strictObject({
    ecosystem: z.enum(packageEcosystems),
    name: z.string().min(1),
    /** Left out: every version. */
    version: z.string().optional(),
    ...shared,
  }),
  z.strictObject({
    file: z.string().min(1),
    text: z.string(),
    /** Of the reason and the whole text; an entry without it accepts nothing. */
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits")
      .optional(),
    ...shared,
  }),
]);

const baselineSchema = z.strictObject({
  version: z.literal(1),
  accepted: z.array(entrySchema),
});

/** A finding that was accepted, until a day and for a reason. */
export type AuditBaselineEntry = z.infer<typeof entrySchema>;

/**
 * Reads a baseline file. Throws an error that names the place for anything else, without its
 * contents: in a stranger's repository the file may be a link to anything.
 */
export function readAuditBaselineEntries(path: string): AuditBaselineEntry[] {
  const read = baselineSchema.safeParse(parse(textOf(path), path));
  if (read.success) return read.data.accepted;
  const [issue] = read.error.issues;
  const isUnknown = issue?.code === "unrecognized_keys";
  const message = isUnknown ? "has an unknown member" : (issue?.message ?? "is not read");
  throw new Error(`${path}: ${issue?.path.join(".") ?? ""}: ${message}`);
}

function textOf(path: string): string {
  const { descriptor } = openRegularFile(path);
  try {
    return readFileTextWithinLimit(descriptor);
  } catch (error) {
    if (!(error instanceof DependencyFileSyntaxError)) throw error;
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

/** The entries of a baseline, for look-ups. */
export class AuditBaseline {
  readonly entries: readonly AuditBaselineEntry[];
  readonly #today: string;
  /** Of entries that accept the same the one that counts. */
  readonly #byKey = new Map<string, IndexedEntry>();
  readonly #outdated: ReadonlyMap<string, AuditBaselineEntry>;

  /** @param today - `2026-11-20`, UTC */
  constructor(entries: readonly AuditBaselineEntry[], today: string) {
    this.entries = entries;
    this.#today = today;
    for (const [at, entry] of entries.entries()) {
      const key = keyOf(entrySubject(entry), entry.finding);
      this.#byKey.set(key, this.#better({ entry, at }, this.#byKey.get(key)));
    }
    this.#outdated = new Map(
      entries.filter(isTextEntry).map((entry) => [outdatedKey(entry), entry]),
    );
  }

  /** Returns the entry that accepts a finding, an expired one where none that still counts does. */
  find(subject: AuditFindingSubject, finding: AuditFinding): AuditBaselineEntry | undefined {
    let found: IndexedEntry | undefined;
    for (const about of acceptedSubjects(subject)) {
      for (const name of acceptedNames(finding)) {
        const next = this.#byKey.get(keyOf(about, name));
        if (next !== undefined) found = this.#better(next, found);
      }
    }
    return found?.entry;
  }

  /**
   * Returns the entry that an earlier version wrote for a text by what it shows of it, or without
   * the reason, which accepts nothing: another text may be there now, or the same for another reason.
   */
  findOutdated(
    subject: AuditFindingSubject,
    finding: AuditFinding,
  ): AuditBaselineEntry | undefined {
    if (!("file" in subject)) return undefined;
    const { file, shown, textDigest } = subject;
    const about = { file, text: shown, finding: finding.rule };
    return (
      this.#outdated.get(outdatedKey(about)) ??
      this.#outdated.get(outdatedKey({ ...about, sha256: textDigest }))
    );
  }

  /** One that has not expired, else the first. */
  #better(one: IndexedEntry, other: IndexedEntry | undefined): IndexedEntry {
    if (other === undefined) return one;
    const [first, last] = one.at < other.at ? [one, other] : [other, one];
    const isWorse =
      isAuditBaselineEntryExpired(first.entry, this.#today) &&
      !isAuditBaselineEntryExpired(last.entry, this.#today);
    return isWorse ? last : first;
  }
}

interface IndexedEntry {
  readonly entry: AuditBaselineEntry;
  readonly at: number;
}

type TextEntry = Extract<AuditBaselineEntry, { file: string }>;

function isTextEntry(entry: AuditBaselineEntry): entry is TextEntry {
  return "file" in entry;
}

function outdatedKey({
  file,
  text,
  sha256,
  finding,
}: Pick<TextEntry, "file" | "text" | "sha256" | "finding">): string {
  return JSON.stringify([file, sha256 === undefined ? { text } : { sha256 }, finding]);
}

/** What an entry is about, as `acceptedSubjects` has it. */
function entrySubject(entry: AuditBaselineEntry): readonly unknown[] {
  if ("file" in entry) {
    const { file, text, sha256 } = entry;
    return sha256 === undefined ? [file, "text", text] : [file, "sha256", sha256];
  }
  const { ecosystem, name, version } = entry;
  return [ecosystem, normalizePackageName(ecosystem, name), version];
}

/** Subjects of entries that mean this one. */
function acceptedSubjects(subject: AuditFindingSubject): readonly (readonly unknown[])[] {
  if ("file" in subject) return [[subject.file, "sha256", subject.digest]];
  const { ecosystem, name, version } = subject;
  const sameNames = [ecosystem, normalizePackageName(ecosystem, name)];
  return [
    [...sameNames, undefined],
    [...sameNames, version],
  ];
}

/** An advisory is accepted by any of its ids, so that another one of the package is not. */
function acceptedNames({ rule, ids, severity }: AuditFinding): readonly string[] {
  if (rule !== "advisory") return [rule];
  return ids.length === 0 ? [severity ?? ""] : ids;
}

function keyOf(subject: readonly unknown[], finding: string): string {
  // Every version is no version of its own.
  return JSON.stringify([...subject.map((part) => (part === undefined ? [] : part)), finding]);
}

/** The day itself still counts. */
export function isAuditBaselineEntryExpired(
  { expires }: AuditBaselineEntry,
  today: string,
): boolean {
  return today > expires;
}

/** What a finding is called in a baseline file. */
export function toBaselineFindingName({ rule, ids, severity }: AuditFinding): string {
  return rule === "advisory" ? (ids[0] ?? severity ?? rule) : rule;
}

/** Returns the entry that accepts a finding. */
export function createAuditBaselineEntry(
  finding: AuditFinding & { readonly subject: AuditFindingSubject },
  terms: Pick<AuditBaselineEntry, "reason" | "expires">,
): AuditBaselineEntry {
  const common = { finding: toBaselineFindingName(finding), ...terms };
  const { subject } = finding;
  if ("file" in subject) {
    const { file, shown, digest } = subject;
    return { file, text: shown, sha256: digest, ...common };
  }
  const { ecosystem, name, version } = subject;
  return { ecosystem, name, ...(version !== null && { version }), ...common };
}

/**
 * Replaces a baseline file, or creates it, whole or not at all. Throws if there is anything else
 * than a regular file at the path, and a `CliError` if it cannot be written: a link of a stranger's folder may lead anywhere.
 */
export function writeAuditBaselineEntries(
  path: string,
  accepted: readonly AuditBaselineEntry[],
): void {
  assertReplaceableFile(path);
  const temporary = `${path}.${process.pid.toString()}`;
  try {
    // `wx` follows no link and opens nothing that exists.
    writeFileSync(temporary, `${JSON.stringify({ version: 1, accepted }, undefined, 2)}\n`, {
      flag: "wx",
    });
    renameSync(temporary, path);
  } catch (error) {
    const { code = "the system refuses it" } = error as NodeJS.ErrnoException;
    if (code !== "EEXIST") rmSync(temporary, { force: true });
    throw new CliError(`${path}: cannot be written (${code})`);
  }
}

/** Throws unless a path is free, in a folder that exists, or has a regular file. */
export function assertReplaceableFile(path: string): void {
  const folder = dirname(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Error(`${folder} is not a folder; name a file in another one for the baseline`);
  }
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status === undefined || status.isFile()) return;
  throw new Error(`${path} is not a regular file; name another file for the baseline`);
}

/** The entries of a file that may not be there yet. */
export function readAuditBaselineOrEmpty(path: string): AuditBaselineEntry[] {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined
    ? []
    : readAuditBaselineEntries(path);
}
