import type { KnownPackage } from "../facts.ts";
import { versionNamed } from "../verdict/registry-rules.ts";
import type { Judgement } from "../verdict/verdict.ts";
import { fixingVersion } from "./fixing-version.ts";
import { isOlder } from "./version-words.ts";

/** What can be installed: a package, and the exact version of it. */
export interface InstallTarget {
  readonly name: string;
  readonly version: string;
}

interface Judged {
  readonly known: KnownPackage;
  readonly judgement: Judgement;
}

/**
 * What to install instead of the assessed version: a version of the same package
 * where only this one is the fault, else what took its place. Undefined: nothing
 * speaks against it, or nothing better is known.
 */
export function installTarget({ known, judgement }: Judged): InstallTarget | undefined {
  const { replacement, reasons, verdict } = judgement;
  const [{ code }] = reasons;
  const own = (version: string | null | undefined) => targetOf(known.name, version);
  if (code === "version_not_found") return own(soundLatest(known));
  if (code === "deprecated_version") return own(isOlder(known) ? soundLatest(known) : null);
  if (verdict === "deprecated" || verdict === "archived" || known.existence === "not_found") {
    return targetOf(replacement?.name, replacement?.version) ?? own(mendingVersion(known));
  }
  return own(mendingVersion(known));
}

/** The version in which the assessed one's flaws are fixed, or the next one of a version that was taken back. */
function mendingVersion(known: KnownPackage): string | null | undefined {
  const hasFlaws = known.advisories !== null && known.advisories.length > 0;
  if (hasFlaws) return fixingVersion(known);
  const isTakenBack = versionNamed(known, known.version)?.withdrawal !== undefined;
  return isTakenBack && known.latestVersion !== known.version ? soundLatest(known) : undefined;
}

/** The latest, unless it was taken back itself. */
function soundLatest(known: KnownPackage): string | null {
  const facts = versionNamed(known, known.latestVersion);
  const isSound = facts?.withdrawal === undefined && facts?.deprecation === undefined;
  return isSound ? known.latestVersion : null;
}

function targetOf(
  name: string | undefined,
  version: string | null | undefined,
): InstallTarget | undefined {
  if (name === undefined || version === undefined || version === null) return undefined;
  return { name, version };
}
