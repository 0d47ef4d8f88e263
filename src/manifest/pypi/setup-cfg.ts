import { declaredEntriesToDependencyFile, type DeclaredDependencyEntry } from "../declared-file.ts";
import type { SiblingFileReader, DependencyFile, ManifestParseBudget } from "../dependency-file.ts";
import { mergeDependencyFiles } from "../join-files.ts";
import { iterateLogicalLines } from "../requirements/logical-lines.ts";
import { parsePep508Entry, excludeOwnProject } from "./python-entries.ts";
import { parseReferencedRequirementFiles } from "./requirements-file.ts";

/** An option of an INI file. */
interface IniOption {
  readonly section: string;
  readonly name: string;
  /** From 1, of its first line. */
  readonly line: number;
  /** Lines of its value; comments are empty ones. */
  readonly value: string[];
}

/** Options of the section `options` that list requirements, with their groups. */
const requirementOptions: ReadonlyMap<string, string> = new Map([
  ["install_requires", "production"],
  ["setup_requires", "build"],
  ["tests_require", "development"],
]);

/** Reads a setup.cfg: what setuptools installs by it, and the files that it names. */
export function parseSetupCfg(
  text: string,
  beside: SiblingFileReader,
  budget?: ManifestParseBudget,
): DependencyFile {
  const options = optionsIn(text);
  const name = options.find((each) => each.section === "metadata" && each.name === "name");
  const project = name?.value.join("").trim();
  return mergeDependencyFiles(options.map((option) => readOption(option, project, beside, budget)));
}

function readOption(
  option: IniOption,
  project: string | undefined,
  beside: SiblingFileReader,
  budget: ManifestParseBudget | undefined,
): DependencyFile {
  const { section, line } = option;
  const value = option.value.join("\n").trimEnd();
  const name = option.name.toLowerCase().replaceAll("-", "_");
  if (section === "options" && name === "dependency_links") {
    const reason = "index_option: names may come from elsewhere";
    return declaredEntriesToDependencyFile("pypi", [
      { group: "production", line, text: name, reason },
    ]);
  }
  const group =
    section === "options.extras_require"
      ? option.name
      : section === "options" && requirementOptions.get(name);
  if (group === undefined || group === false) return declaredEntriesToDependencyFile("pypi", []);
  const [, files] = /^\s*file:([^]*)$/.exec(value) ?? [];
  if (files === undefined) {
    const entries = requirementsIn(value, line, group);
    const isExtra = section === "options.extras_require";
    return declaredEntriesToDependencyFile(
      "pypi",
      isExtra ? excludeOwnProject(entries, project) : entries,
    );
  }
  const paths = files.split(/[,\n]/).map((path) => path.trim());
  return parseReferencedRequirementFiles(paths.filter(Boolean), { group, line }, beside, budget);
}

/** A value of one line has semicolons between its requirements; else each line is one. */
function requirementsIn(value: string, start: number, group: string): DeclaredDependencyEntry[] {
  const parts = value.includes("\n") ? [value] : value.split(";");
  return parts
    .flatMap((part) => [...iterateLogicalLines(part)])
    .map(({ line, text }) => ({
      ...parsePep508Entry(text, group),
      line: start + line - 1,
    }));
}

/** Options as Python's reader has them: a line that is indented deeper goes on with the value. */
function optionsIn(text: string): IniOption[] {
  const options: IniOption[] = [];
  let section = "";
  let open: { readonly value: string[]; readonly indent: number } | undefined;
  for (const [index, raw] of text.split(/\r\n|\r|\n/).entries()) {
    const line = raw.trim();
    const indent = raw.length - raw.trimStart().length;
    const [, header] = /^\[(.+)\]/.exec(line) ?? [];
    if (line === "" || /^[#;]/.test(line)) open?.value.push("");
    else if (open !== undefined && indent > open.indent) open.value.push(line);
    else if (header !== undefined) {
      section = header.trim();
      open = undefined;
    } else {
      const end = line.search(/[=:]/);
      if (end === -1) continue;
      const value = [line.slice(end + 1)];
      open = { value, indent };
      options.push({ section, name: line.slice(0, end).trim(), line: index + 1, value });
    }
  }
  return options;
}
