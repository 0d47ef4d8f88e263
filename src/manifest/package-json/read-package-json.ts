import type {
  DependencyGroup,
  ManifestDependency,
  ParsedManifest,
  UnparsableManifestText,
} from "../manifest.ts";
import { toExcerptWithDigest } from "../manifest.ts";
import { createJsonMemberLineLookup, type JsonMemberLineLookup } from "../document/member-lines.ts";
import { isValueNestedTooDeeply } from "../document/nesting.ts";
import { runPausableParseToEnd, type PausableParse } from "../parse-steps.ts";
import { parseNpmSpecifier } from "./npm-spec.ts";

/** The groups that are read, in the order in which they are assessed. */
const groups: readonly (readonly [member: string, group: DependencyGroup])[] = [
  ["dependencies", "production"],
  ["optionalDependencies", "optional"],
  ["peerDependencies", "peer"],
  ["devDependencies", "development"],
];

/** Reads the four groups of a package.json and what overrides them; nothing else in it installs a package. */
export function parsePackageJson(text: string): ParsedManifest {
  return runPausableParseToEnd(parsePackageJsonInSteps(text));
}

/** As `parsePackageJson`, with a step for each member of a group. */
export function* parsePackageJsonInSteps(text: string): PausableParse<ParsedManifest> {
  const parsed = parse(text);
  if ("problem" in parsed) return result([], [parsed.problem]);
  const found: ManifestDependency[] = [];
  const unparsed: UnparsableManifestText[] = [];
  for (const { name, specifier, line, group } of entries(
    parsed.json,
    createJsonMemberLineLookup(text),
    unparsed,
  )) {
    const read =
      typeof specifier === "string"
        ? parseNpmSpecifier(name, specifier)
        : { reason: "invalid_specifier: it is no text" };
    if ("name" in read) found.push({ ...read, group, ...(line !== undefined && { line }) });
    else
      unparsed.push({
        ...row(line, `${JSON.stringify(name)}: ${JSON.stringify(specifier)}`, read.reason),
        name,
        ...(typeof specifier === "string" && { requested: specifier }),
      });
    yield;
  }
  return result(found, unparsed);
}

function result(
  dependencies: readonly ManifestDependency[],
  unparsed: readonly UnparsableManifestText[],
): ParsedManifest {
  return { kind: "package.json", dependencies, unparsed };
}

interface Entry {
  readonly name: string;
  readonly specifier: unknown;
  readonly line: number | undefined;
  readonly group: DependencyGroup;
}

/** Every name and specifier once, the overrides last; an optional dependency beats a plain one, as in npm. */
function entries(
  json: Readonly<Record<string, unknown>>,
  lines: JsonMemberLineLookup,
  unparsed: UnparsableManifestText[],
): Entry[] {
  const optional = membersOf(json["optionalDependencies"]);
  const seen = new Set<string>();
  const declared = groups.flatMap(([member, group]) => {
    if (!Object.hasOwn(json, member)) return [];
    const members = membersOf(json[member]);
    if (members === undefined) {
      const text = `${JSON.stringify(member)}: ${JSON.stringify(json[member])}`;
      unparsed.push(row(lines(member), text, "not_an_object"));
    }
    const isShadowed = (name: string) =>
      group === "production" && optional !== undefined && Object.hasOwn(optional, name);
    return Object.entries(members ?? {}).flatMap(([name, specifier]) => {
      // Which of two specifiers counts is not the same in npm, Yarn and pnpm.
      const key = JSON.stringify([name, specifier]);
      if (isShadowed(name) || seen.has(key)) return [];
      seen.add(key);
      return [{ name, specifier, line: lines(member, name), group }];
    });
  });
  return [...declared, ...overrides(json, declared, lines)];
}

/** What stands in place of packages that others ask for, in the words of npm, Yarn and pnpm. */
function overrides(
  json: Readonly<Record<string, unknown>>,
  declared: readonly Entry[],
  lines: JsonMemberLineLookup,
): Entry[] {
  const specifiers = new Map(declared.map(({ name, specifier }) => [name, specifier]));
  const pnpm = membersOf(json["pnpm"]) ?? {};
  const tables: readonly (readonly [way: readonly string[], value: unknown])[] = [
    [["overrides"], json["overrides"]],
    [["resolutions"], json["resolutions"]],
    [["pnpm", "overrides"], pnpm["overrides"]],
    [["pnpm", "configDependencies"], configDependencies(pnpm["configDependencies"])],
    [["pnpm", "packageExtensions"], pnpm["packageExtensions"]],
  ];
  const entries: Entry[] = [];
  for (const [way, value] of tables) {
    const [first = "", second] = way;
    for (const [key, inner] of Object.entries(membersOf(value) ?? {})) {
      addOverrides(key, inner, lines(first, second ?? key));
    }
  }
  return entries;

  /** npm nests them, with `.` for the package itself; pnpm has the groups of a package in one. */
  function addOverrides(key: string, value: unknown, line: number | undefined): void {
    const members = membersOf(value);
    if (members === undefined) {
      const name = overriddenName(key);
      const specifier = referred(value);
      if (specifier !== "-") entries.push({ name, specifier, line, group: "production" });
      return;
    }
    for (const [inner, each] of Object.entries(members)) {
      if (inner === "peerDependenciesMeta") continue;
      addOverrides(inner === "." ? key : inner, each, line);
    }
  }

  /** `$name` is what the project itself asks for under the name. pnpm puts a digest behind a version. */
  function referred(value: unknown): unknown {
    if (typeof value !== "string") return value;
    if (value.startsWith("$")) return specifiers.get(value.slice(1)) ?? value;
    return value.replace(/\+sha\d{3}-[^]*$/, "");
  }
}

/** Each as a text: its archive, or the version in front of its digest. Other values stay. */
function configDependencies(table: unknown): unknown {
  const rows = Object.entries(membersOf(table) ?? {}).map(([name, value]) => {
    const { tarball, integrity } = membersOf(value) ?? {};
    return [name, tarball ?? integrity ?? value] as const;
  });
  return Object.fromEntries(rows);
}

/** The last name of `a/**\/b`, `a > b@1`, `@s/b@npm:^1`, without the version behind it. */
function overriddenName(key: string): string {
  const last = key.slice(key.lastIndexOf(">") + 1).trim();
  const at = last.indexOf("@", 1);
  const path = (at > 0 && last[at - 1] !== "/" ? last.slice(0, at) : last).split("/");
  const scope = path.at(-2)?.startsWith("@") === true ? `${path.at(-2) ?? ""}/` : "";
  return `${scope}${path.at(-1) ?? ""}`;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return value as Readonly<Record<string, unknown>>;
}

function row(line: number | undefined, text: string, reason: string): UnparsableManifestText {
  return { ...(line !== undefined && { line }), ...toExcerptWithDigest(text), reason };
}

type Parsed =
  | { readonly json: Readonly<Record<string, unknown>> }
  | { readonly problem: UnparsableManifestText };

function parse(text: string): Parsed {
  try {
    const value: unknown = JSON.parse(text);
    if (isValueNestedTooDeeply(value)) {
      return { problem: row(1, firstLine(text), "invalid_json: it nests too deep") };
    }
    const json = membersOf(value);
    return json === undefined ? { problem: row(1, firstLine(text), "not_an_object") } : { json };
  } catch (error) {
    return { problem: invalidJson(text, error instanceof Error ? error.message : "") };
  }
}

/** Where the parser does not say the line, the text has ended too early. */
function invalidJson(text: string, message: string): UnparsableManifestText {
  const lines = text.split("\n");
  const line = Number(/line (\d+)/.exec(message)?.[1] ?? lines.length);
  return row(line, lines[line - 1] ?? "", "invalid_json: comments and trailing commas are no JSON");
}

function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0] ?? "";
}
