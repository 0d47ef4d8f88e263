import { describe, expect, it } from "vitest";
import { buildAuditPackageQueries } from "../../../src/cli/audit/package-query.ts";
import { splitIntoQueryPages } from "../../../src/cli/audit/query-pages.ts";
import { readAuditFiles } from "../../../src/cli/audit/read-audit-files.ts";
import { audit, createAuditFolder } from "./audit-project.ts";

/** Requirements that the service is asked about for a project, with the option before those it holds for. */
function requirementsOf(files: Readonly<Record<string, string>>): readonly unknown[] {
  const { questions } = buildAuditPackageQueries(
    readAuditFiles([createAuditFolder(files)], "auto"),
  );
  return splitIntoQueryPages(questions).map(({ request }) => request["manifest"]);
}

const uvProject = '[project]\nname = "mine"\nversion = "1"\ndependencies = ["a>=1", "b"]\n';

describe("the audit of a Python project that takes pre-releases", () => {
  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ["pip", { "requirements.txt": "--pre\na>=1\nb\n" }, ["--pre\na>=1\nb"]],
    [
      "pip in an included file",
      { "requirements.txt": "a>=1\n-r more.in\n", "more.in": "b\n--pre\n" },
      ["--pre\na>=1\nb"],
    ],
    [
      "pip in a file of constraints",
      { "requirements.txt": "a\nb\n-c held.in\n", "held.in": "--pre\na<3\nc<2\n" },
      ["--pre\na<3\nb\nc<2"],
    ],
    [
      "pip under conda",
      { "environment.yml": "dependencies:\n- pip:\n  - --pre\n  - a\n" },
      ["--pre\na"],
    ],
    [
      "Pipenv",
      { Pipfile: '[packages]\na = "*"\n[pipenv]\nallow_prereleases = true\n' },
      ["--pre\na"],
    ],
    [
      "uv",
      { "pyproject.toml": `${uvProject}[tool.uv]\nprerelease = "allow"\n` },
      ["--pre\na>=1\nb"],
    ],
    [
      "uv.toml",
      { "pyproject.toml": uvProject, "uv.toml": 'prerelease = "allow"\n' },
      ["--pre\na>=1\nb"],
    ],
    [
      "PDM",
      { "pyproject.toml": `${uvProject}[tool.pdm.resolution]\nallow-prereleases = true\n` },
      ["--pre\na>=1\nb"],
    ],
    [
      "Pixi",
      {
        "pixi.toml": '[pypi-dependencies]\na = ">=1"\n[pypi-options]\nprerelease-mode = "allow"\n',
      },
      ["--pre\na>=1"],
    ],
  ])("asks for them as %s does", (_, files, expected) => {
    expect(requirementsOf(files)).toEqual(expected);
  });

  it("asks for pre-releases of one package as Poetry does", () => {
    const table =
      '[tool.poetry.dependencies]\na = {allow-prereleases = true}\nc = {version = "^1", allow-prereleases = true}\nd = "^1"\n';
    expect(requirementsOf({ "pyproject.toml": table })).toEqual(["d>=1,<2", "--pre\na\nc>=1,<2"]);
    // The table only adds to what the standard's one asks for.
    expect(requirementsOf({ "pyproject.toml": `${uvProject}${table}` })).toContain(
      "--pre\na>=1\nc>=1,<2",
    );
  });

  it.each<Readonly<Record<string, string>>>([
    { "requirements.txt": "a\nb --pre\n" },
    { Pipfile: '[packages]\na = "*"\n[pipenv]\nallow_prereleases = false\n' },
    { "pyproject.toml": `${uvProject}[tool.uv]\nprerelease = "if-necessary"\n` },
    { "pyproject.toml": `${uvProject}[tool.uv]\nprerelease = "allow"\n`, "uv.toml": "" },
  ])("asks for none where the setting is not made: %j", (files) => {
    expect(JSON.stringify(requirementsOf(files))).not.toContain("--pre");
  });
});

describe("the audit of a range of Poetry that PEP 440 does not have", () => {
  const project = { "pyproject.toml": '[tool.poetry.dependencies]\na = "^1.0 || ^2.0"\n' };

  it("reports the range, because the latest version may not fit it", () => {
    expect(audit(project)).toEqual({ asked: [], unread: ["pyproject.toml:2: invalid_specifier"] });
  });

  it("asks about the version that a lock file has for it", () => {
    const lock = '[[package]]\nname = "a"\nversion = "2.9.0"\n';
    expect(audit({ ...project, "poetry.lock": lock })).toEqual({
      asked: ["a 2.9.0"],
      unread: [],
    });
  });
});
