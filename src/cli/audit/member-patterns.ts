/** More patterns than any project has; by further ones no folder is a member. */
const maxPatterns = 200;

/** One name of a pattern: all of it, or what is before and behind its `*`. */
interface NamePattern {
  readonly start: string;
  readonly end: string | undefined;
}

/** A pattern, split once, because it is held against each manifest below its lock file. */
interface FolderPattern {
  readonly before: readonly NamePattern[];
  /** Names behind `**`; undefined if the pattern has none. */
  readonly behind: readonly NamePattern[] | undefined;
}

/** Returns whether a lock file counts a folder among its own; what a pattern excludes is not one. */
export function createWorkspaceMemberTest(members: readonly string[]): (folder: string) => boolean {
  const texts = members.map((member) => member.replace(/^(!?)\.?\//, "$1").replace(/\/$/, ""));
  const folders = new Set(texts);
  const patterns = texts
    .filter((text) => text.includes("*") && isSimple(text))
    .slice(0, maxPatterns)
    .map(parsePattern);
  const excluded = texts.filter((text) => text.startsWith("!")).map((text) => text.slice(1));
  const areClear = excluded.length <= maxPatterns && excluded.every(isSimple);
  const exclusions = areClear ? excluded.map(parsePattern) : [];
  return (folder) => {
    if (folders.has(folder)) return true;
    if (!areClear || patterns.length === 0) return false;
    const names = folder.split("/");
    return (
      patterns.some((pattern) => matches(names, pattern)) &&
      !exclusions.some((pattern) => matches(names, pattern))
    );
  };
}

/**
 * A pattern that is matched here, each character read once: `*` once in the name of a folder,
 * and `**` once. By any other no folder is a member, so that its manifest is read by itself.
 */
function isSimple(pattern: string): boolean {
  const names = pattern.split("/");
  if (/[?[\]{}()!+|\\]/.test(pattern) || names.filter((name) => name === "**").length > 1)
    return false;
  return names.every((name) => name === "**" || name.split("*").length <= 2);
}

function parsePattern(pattern: string): FolderPattern {
  const names = pattern.split("/");
  const deep = names.indexOf("**");
  const parts = names.map((name) => {
    const [start = "", end] = name.split("*");
    return { start, end };
  });
  return deep === -1
    ? { before: parts, behind: undefined }
    : { before: parts.slice(0, deep), behind: parts.slice(deep + 1) };
}

function matches(names: readonly string[], { before, behind }: FolderPattern): boolean {
  if (behind === undefined) return names.length === before.length && namesMatch(names, 0, before);
  return (
    names.length >= before.length + behind.length &&
    namesMatch(names, names.length - behind.length, behind) &&
    namesMatch(names, 0, before)
  );
}

/** Returns whether the names from an index on match the parts. There are at least as many names as parts. */
function namesMatch(
  names: readonly string[],
  from: number,
  parts: readonly NamePattern[],
): boolean {
  return parts.every(({ start, end }, at) => {
    const name = names[from + at] ?? "";
    if (end === undefined) return name === start;
    return name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
  });
}
