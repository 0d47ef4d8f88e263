import { compareBuild, parse, type SemVer } from "semver";
import { UnreadableText, type Beside, type DependencyFile } from "../dependency-file.ts";
import { goRequirements, readGoMod } from "./go-mod.ts";

/** A version of a module that the file has a hash of. */
interface Sum {
  readonly path: string;
  readonly version: string;
  readonly line: number;
  /** Only its go.mod was read, to choose versions; none of its code is part of the build. */
  readonly isGoModOnly: boolean;
}

/**
 * Reads a go.sum: of each module the highest version that it names: what Go
 * chooses, where its code is part of the build. The go.mod beside it says what is direct.
 */
export function readGoSum(text: string, beside: Beside): DependencyFile {
  const chosen = new Map<string, Sum>();
  for (const sum of sumsIn(text)) {
    const known = chosen.get(sum.path);
    if (known === undefined || isChosen(sum, known)) chosen.set(sum.path, sum);
  }
  const manifest = beside("go.mod");
  const direct = new Set(
    goRequirements(manifest ?? "").flatMap(({ path, isIndirect }) => (isIndirect ? [] : [path])),
  );
  const dependencies = [...chosen.values()].map(({ path, version, line, isGoModOnly }) => {
    const isDirect = direct.has(path);
    const other = manifest === undefined ? ("unknown" as const) : ("transitive" as const);
    return {
      ecosystem: "go" as const,
      name: path,
      requested: version,
      version,
      relation: isDirect ? ("direct" as const) : other,
      groups: [isGoModOnly ? "not built" : "production"],
      paths: isDirect ? [[`${path}@${version}`]] : [],
      line,
    };
  });
  return { dependencies, unparsed: manifest === undefined ? [] : readGoMod(manifest).unparsed };
}

function sumsIn(text: string): Sum[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === "") return [];
    const [, path, version, goMod] = /^(\S+) (v[^\s/]+)(\/go\.mod)? h1:\S+\s*$/.exec(line) ?? [];
    if (path === undefined || version === undefined) {
      throw new UnreadableText("invalid_lock: Go does not write such a line", index + 1);
    }
    return [{ path, version, line: index + 1, isGoModOnly: goMod !== undefined }];
  });
}

/** The higher version; of one version the line of its code. */
function isChosen(sum: Sum, known: Sum): boolean {
  const [left, right] = [versionOf(sum), versionOf(known)];
  const order = left === null || right === null ? 0 : compareBuild(left, right);
  return order === 0 ? known.isGoModOnly && !sum.isGoModOnly : order > 0;
}

function versionOf({ version }: Sum): SemVer | null {
  return parse(version, { loose: true });
}
