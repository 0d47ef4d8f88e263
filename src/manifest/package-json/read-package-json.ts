import type {
  DependencyGroup,
  ManifestDependency,
  ReadManifest,
  UnparsedText,
} from "../manifest.ts";
import { show } from "../manifest.ts";
import { memberLines, type MemberLines } from "../document/member-lines.ts";
import { nestsTooDeep } from "../document/nesting.ts";
import { readNpmSpec } from "./npm-spec.ts";

/** The groups that are read, in the order in which they are assessed. */
const groups: readonly (readonly [member: string, group: DependencyGroup])[] = [
  ["dependencies", "production"],
  ["optionalDependencies", "optional"],
  ["peerDependencies", "peer"],
  ["devDependencies", "development"],
];

/** Reads the four groups of a package.json; everything else in it is none of ours. */
export function readPackageJson(text: string): ReadManifest {
  const parsed = parse(text);
  if ("problem" in parsed) return result([], [parsed.problem]);
  const found: ManifestDependency[] = [];
  const unparsed: UnparsedText[] = [];
  for (const { name, specifier, line, group } of entries(
    parsed.json,
    memberLines(text),
    unparsed,
  )) {
    const read =
      typeof specifier === "string"
        ? readNpmSpec(name, specifier)
        : { reason: "invalid_specifier: it is no text" };
    if ("name" in read) found.push({ ...read, group, ...(line !== undefined && { line }) });
    else
      unparsed.push(
        row(line, `${JSON.stringify(name)}: ${JSON.stringify(specifier)}`, read.reason),
      );
  }
  return result(found, unparsed);
}

function result(
  dependencies: readonly ManifestDependency[],
  unparsed: readonly UnparsedText[],
): ReadManifest {
  return { kind: "package.json", dependencies, unparsed };
}

interface Entry {
  readonly name: string;
  readonly specifier: unknown;
  readonly line: number | undefined;
  readonly group: DependencyGroup;
}

/** Every name once: of several groups the first counts, but an optional dependency beats a plain one, as in npm. */
function entries(
  json: Readonly<Record<string, unknown>>,
  lines: MemberLines,
  unparsed: UnparsedText[],
): Entry[] {
  const optional = membersOf(json["optionalDependencies"]);
  const seen = new Set<string>();
  return groups.flatMap(([member, group]) => {
    if (!Object.hasOwn(json, member)) return [];
    const members = membersOf(json[member]);
    if (members === undefined) {
      const text = `${JSON.stringify(member)}: ${JSON.stringify(json[member])}`;
      unparsed.push(row(lines(member), text, "not_an_object"));
    }
    const isShadowed = (name: string) =>
      group === "production" && optional !== undefined && Object.hasOwn(optional, name);
    return Object.entries(members ?? {}).flatMap(([name, specifier]) => {
      if (isShadowed(name) || seen.has(name)) return [];
      seen.add(name);
      return [{ name, specifier, line: lines(member, name), group }];
    });
  });
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return value as Readonly<Record<string, unknown>>;
}

function row(line: number | undefined, text: string, reason: string): UnparsedText {
  return { ...(line !== undefined && { line }), text: show(text), reason };
}

type Parsed =
  | { readonly json: Readonly<Record<string, unknown>> }
  | { readonly problem: UnparsedText };

function parse(text: string): Parsed {
  try {
    const value: unknown = JSON.parse(text);
    if (nestsTooDeep(value)) {
      return { problem: row(1, firstLine(text), "invalid_json: it nests too deep") };
    }
    const json = membersOf(value);
    return json === undefined ? { problem: row(1, firstLine(text), "not_an_object") } : { json };
  } catch (error) {
    return { problem: invalidJson(text, error instanceof Error ? error.message : "") };
  }
}

/** Where the parser does not say the line, the text has ended too early. */
function invalidJson(text: string, message: string): UnparsedText {
  const lines = text.split("\n");
  const line = Number(/line (\d+)/.exec(message)?.[1] ?? lines.length);
  return row(line, lines[line - 1] ?? "", "invalid_json: comments and trailing commas are no JSON");
}

function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0] ?? "";
}
