import { compareBuild, parse, type SemVer } from "semver";
import {
  DependencyFileSyntaxError,
  type SiblingFileReader,
  type DependencyFile,
  type FileDependency,
} from "../dependency-file.ts";
import { parseGoRequirements, parseGoMod } from "./go-mod.ts";

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
export function parseGoSum(text: string, beside: SiblingFileReader): DependencyFile {
  const chosen = new Map<string, Sum>();
  for (const sum of sumsIn(text)) {
    const known = chosen.get(sum.path);
    if (known === undefined || isChosen(sum, known)) chosen.set(sum.path, sum);
  }
  const manifest = beside("go.mod");
  const direct = new Set(
    parseGoRequirements(manifest ?? "").flatMap(({ path, isIndirect }) =>
      isIndirect ? [] : [path],
    ),
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
  if (manifest === undefined) return { dependencies, unparsed: [] };
  const asked = parseGoMod(manifest);
  // What go.mod says is built, whatever higher versions the file has hashes of.
  const known = new Set(dependencies.map(({ name, version }) => `${name}@${version}`));
  const missing = asked.dependencies.filter(
    ({ name, version = "" }) => !known.has(`${name}@${version}`),
  );
  const others = missing.map(withoutLine);
  const unparsed = asked.unparsed.map((part) => ({ ...part, file: "go.mod" }));
  return { dependencies: [...dependencies, ...others], unparsed };
}

/** Its line is one of another file. */
function withoutLine({ line: _line, ...dependency }: FileDependency): FileDependency {
  return dependency;
}

function sumsIn(text: string): Sum[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === "") return [];
    const [, path, version, goMod] = /^(\S+) (v[^\s/]+)(\/go\.mod)? h1:\S+\s*$/.exec(line) ?? [];
    if (path === undefined || version === undefined) {
      throw new DependencyFileSyntaxError("invalid_lock: Go does not write such a line", index + 1);
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
