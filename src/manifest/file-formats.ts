import { basename, dirname } from "node:path";
import { parseCargoLock } from "./cargo/cargo-lock.ts";
import { parseCargoToml } from "./cargo/cargo-toml.ts";
import type { DependencyFileParser } from "./dependency-file.ts";
import { wrapParserSkippingLongLines } from "./document/long-lines.ts";
import { parseGoMod, parseGoWork } from "./go/go-mod.ts";
import { parseGoSum } from "./go/go-sum.ts";
import { parseBuildGradle } from "./maven/build-gradle.ts";
import { parseGradleLockfile } from "./maven/gradle-lockfile.ts";
import { parsePom } from "./maven/pom-xml.ts";
import { parseSettingsGradle } from "./maven/settings-gradle.ts";
import { parseBunLock } from "./npm/bun-lock.ts";
import { parsePackageJsonFile } from "./npm/package-json-file.ts";
import { parsePackageLock } from "./npm/package-lock.ts";
import { parsePnpmLock } from "./npm/pnpm-lock.ts";
import { parseYarnLock } from "./npm/yarn-lock.ts";
import { parseDirectoryPackagesProps, parseDotnetProjectFile } from "./nuget/csproj.ts";
import { parseDotnetToolsManifest, readGlobalJson } from "./nuget/dotnet-tools.ts";
import { parsePackagesConfig } from "./nuget/packages-config.ts";
import { parseNugetPackagesLock } from "./nuget/packages-lock.ts";
import { parseComposerJson } from "./packagist/composer-json.ts";
import { parseComposerLock } from "./packagist/composer-lock.ts";
import { parseCondaEnvironment } from "./pypi/conda-environment.ts";
import { parsePdmLock } from "./pypi/pdm-lock.ts";
import { parsePipfileLock } from "./pypi/pipfile-lock.ts";
import { parsePipfile } from "./pypi/pipfile.ts";
import { parsePoetryLock } from "./pypi/poetry-lock.ts";
import { parsePylock } from "./pypi/pylock.ts";
import { parsePyproject } from "./pypi/pyproject.ts";
import { parseConstraintsFile, parseRequirementsFile } from "./pypi/requirements-file.ts";
import { parseSetupCfg } from "./pypi/setup-cfg.ts";
import { parseHatchToml, parsePixiToml } from "./pypi/tool-files.ts";
import { parseUvLock } from "./pypi/uv-lock.ts";
import { parseGemfileLock } from "./rubygems/gemfile-lock.ts";
import { parseGemfile } from "./rubygems/gemfile.ts";
import { parseCycloneDxJson } from "./sbom/cyclonedx-json.ts";
import { parseCycloneDxXml } from "./sbom/cyclonedx-xml.ts";
import { parseSpdxJson } from "./sbom/spdx-json.ts";
import { parseSpdxTagValue } from "./sbom/spdx-tag-value.ts";
import {
  parseBunfig,
  parseCargoConfig,
  parseMavenExtensions,
  parseMavenSettings,
  parseNugetConfig,
  reportPnpmfile,
  parsePnpmWorkspace,
  reportSetupPy,
  parseUvToml,
  parseYarnrcYaml,
} from "./settings/document-settings.ts";
import {
  parseBundleConfig,
  parseGradleWrapperProperties,
  parseMavenConfig,
  parseMavenWrapperProperties,
  parseNpmrc,
  parsePipConf,
  parseYarnrc,
} from "./settings/line-settings.ts";

/** A format of files that name dependencies, or that say where these come from. */
export interface DependencyFileFormat {
  /** As people call it; the word of `--kind`. */
  readonly name: string;
  /** Names that such files have. */
  readonly fileName: RegExp;
  readonly read: DependencyFileParser;
  /** Names of the manifests that a lock file pins; empty for all else. */
  readonly pins: RegExp | undefined;
  /** Whether it has settings of a package manager; one without any is nothing to report. */
  readonly isSettings: boolean;
  /** Names that such files have in a folder of this name, with the folder; undefined: no others. */
  readonly pathEnd?: RegExp;
  /** The hidden folder, or a folder within one, that such a file is in; undefined for one that may be in any folder. */
  readonly folder?: string;
}

function format(
  name: string,
  fileName: RegExp,
  read: DependencyFileParser,
  pins?: RegExp,
): DependencyFileFormat {
  return { name, fileName, read, pins, isSettings: false };
}

/** A format of settings. A name with slashes begins with the hidden folder that it is in. */
function settings(
  name: string,
  fileName: RegExp,
  read: DependencyFileParser,
): DependencyFileFormat {
  const folder = dirname(name);
  const inFolder = folder === "." ? {} : { folder };
  return { name, fileName, read, pins: undefined, isSettings: true, ...inFolder };
}

const packageJson = /^package\.json$/;
const pyproject = /^pyproject\.toml$/;
/** `requirements` between separators or ends. */
const requirementsName = /^(?:(?!requirements[-_.])[^-_.]*[-_.])*requirements\d*(?:[-_.].+)?\.txt$/;
const constraintsName = /^(?:(?!constraints[-_.])[^-_.]*[-_.])*constraints(?:[-_.].+)?\.txt$/;
const gradle = /^build\.gradle(\.kts)?$/;
const dotnetProject = /\.(cs|fs|vb)proj$/i;

/** Every format that is read; lock files before the manifests that they pin. */
export const dependencyFileFormats: readonly DependencyFileFormat[] = [
  format("package-lock.json", /^package-lock\.json$/, parsePackageLock, packageJson),
  format("npm-shrinkwrap.json", /^npm-shrinkwrap\.json$/, parsePackageLock, packageJson),
  format("pnpm-lock.yaml", /^pnpm-lock\.ya?ml$/, parsePnpmLock, packageJson),
  format("yarn.lock", /^yarn\.lock$/, parseYarnLock, packageJson),
  format("bun.lock", /^bun\.lock$/, parseBunLock, packageJson),
  format("package.json", packageJson, parsePackageJsonFile),
  format("uv.lock", /^uv\.lock$/, parseUvLock, pyproject),
  format("poetry.lock", /^poetry\.lock$/, parsePoetryLock, pyproject),
  format("pdm.lock", /^pdm\.lock$/, parsePdmLock, pyproject),
  format("pylock.toml", /^pylock(?:\.[^.]+)?\.toml$/, parsePylock, pyproject),
  format("Pipfile.lock", /^Pipfile\.lock$/, parsePipfileLock, /^Pipfile$/),
  format("Pipfile", /^Pipfile$/, parsePipfile),
  format("pyproject.toml", pyproject, parsePyproject),
  format("hatch.toml", /^hatch\.toml$/, parseHatchToml),
  format("pixi.toml", /^pixi\.toml$/, parsePixiToml),
  format("constraints.txt", constraintsName, parseConstraintsFile),
  {
    ...format("requirements.txt", requirementsName, parseRequirementsFile),
    pathEnd: /^requirements\/[^/]+\.txt$/,
  },
  format("setup.cfg", /^setup\.cfg$/, wrapParserSkippingLongLines(parseSetupCfg)),
  format(
    "environment.yml",
    /^(?:conda[-_])?environment(?:[-_][\w-]+)?\.ya?ml$/,
    parseCondaEnvironment,
  ),
  format("Cargo.lock", /^Cargo\.lock$/, parseCargoLock, /^Cargo\.toml$/),
  format("Cargo.toml", /^Cargo\.toml$/, parseCargoToml),
  format("go.sum", /^go\.sum$/, wrapParserSkippingLongLines(parseGoSum), /^go\.mod$/),
  format("go.mod", /^go\.mod$/, wrapParserSkippingLongLines(parseGoMod)),
  format(
    "gradle.lockfile",
    /^gradle\.lockfile$/,
    wrapParserSkippingLongLines(parseGradleLockfile),
    gradle,
  ),
  format(
    "buildscript-gradle.lockfile",
    /^buildscript-gradle\.lockfile$/,
    wrapParserSkippingLongLines(parseGradleLockfile),
  ),
  // Plugins of the build itself and scripts that it applies have names of their own.
  format(
    "build.gradle",
    /^(?!settings\.gradle(?:\.kts)?$).*\.gradle(?:\.kts)?$/,
    wrapParserSkippingLongLines(parseBuildGradle),
  ),
  format("pom.xml", /^pom\.xml$|\.pom$/, parsePom),
  format(
    "packages.lock.json",
    /^packages(\..+)?\.lock\.json$/,
    parseNugetPackagesLock,
    dotnetProject,
  ),
  format("packages.config", /^packages(\..+)?\.config$/i, parsePackagesConfig),
  format("csproj", dotnetProject, parseDotnetProjectFile),
  format("Directory.Build.props", /^Directory\.Build\.(props|targets)$/i, parseDotnetProjectFile),
  format("Directory.Packages.props", /^Directory\.Packages\.props$/i, parseDirectoryPackagesProps),
  format(
    "Gemfile.lock",
    /^(Gemfile|gems)\.(lock|locked)$/,
    parseGemfileLock,
    /^(Gemfile|gems\.rb)$/,
  ),
  format("Gemfile", /^(Gemfile|gems\.rb)$|\.gemfile$/, wrapParserSkippingLongLines(parseGemfile)),
  format("composer.lock", /^composer\.lock$/, parseComposerLock, /^composer\.json$/),
  format("composer.json", /^composer\.json$/, parseComposerJson),
  format(
    "cyclonedx.json",
    /^(?:bom|.*\.cdx|(?:(?!cyclonedx).)*cyclonedx.*)\.json$/i,
    parseCycloneDxJson,
  ),
  format(
    "cyclonedx.xml",
    /^(?:bom|.*\.cdx|(?:(?!cyclonedx).)*cyclonedx.*)\.xml$/i,
    parseCycloneDxXml,
  ),
  format("spdx.json", /\.spdx\.json$/i, parseSpdxJson),
  format("spdx", /\.spdx$/i, parseSpdxTagValue),
  settings(".npmrc", /^\.npmrc$/, wrapParserSkippingLongLines(parseNpmrc)),
  settings(".yarnrc", /^\.yarnrc$/, wrapParserSkippingLongLines(parseYarnrc)),
  settings(".yarnrc.yml", /^\.yarnrc\.yml$/, parseYarnrcYaml),
  settings("pnpm-workspace.yaml", /^pnpm-workspace\.ya?ml$/, parsePnpmWorkspace),
  settings(".pnpmfile.cjs", /^\.pnpmfile\.[cm]?js$|^pnpmfile\.js$/, reportPnpmfile),
  settings("bunfig.toml", /^\.?bunfig\.toml$/, parseBunfig),
  settings("pip.conf", /^pip\.(conf|ini)$/, wrapParserSkippingLongLines(parsePipConf)),
  settings("setup.py", /^setup\.py$/, reportSetupPy),
  settings("uv.toml", /^uv\.toml$/, parseUvToml),
  settings(".cargo/config.toml", /^config(\.toml)?$/, parseCargoConfig),
  settings("go.work", /^go\.work$/, wrapParserSkippingLongLines(parseGoWork)),
  settings(
    "settings.gradle",
    /^settings\.gradle(\.kts)?$/,
    wrapParserSkippingLongLines(parseSettingsGradle),
  ),
  settings(
    "gradle-wrapper.properties",
    /^gradle-wrapper\.properties$/,
    wrapParserSkippingLongLines(parseGradleWrapperProperties),
  ),
  settings(".mvn/maven.config", /^maven\.config$/, wrapParserSkippingLongLines(parseMavenConfig)),
  settings(
    ".mvn/wrapper/maven-wrapper.properties",
    /^maven-wrapper\.properties$/,
    wrapParserSkippingLongLines(parseMavenWrapperProperties),
  ),
  settings(".mvn/extensions.xml", /^extensions\.xml$/, parseMavenExtensions),
  settings(".mvn/settings.xml", /settings\.xml$/, parseMavenSettings),
  settings("nuget.config", /^nuget\.config$/i, parseNugetConfig),
  settings(".config/dotnet-tools.json", /^dotnet-tools\.json$/, parseDotnetToolsManifest),
  settings("dotnet-tools.json", /^dotnet-tools\.json$/, parseDotnetToolsManifest),
  settings("global.json", /^global\.json$/i, readGlobalJson),
  settings(".bundle/config", /^config$/, wrapParserSkippingLongLines(parseBundleConfig)),
];

/** Hidden folders of package managers with files of settings, `.mvn`, and folders within, `.mvn/wrapper`. */
export const packageManagerSettingsFolders: ReadonlySet<string> = new Set(
  dependencyFileFormats.flatMap(({ folder }) => folder ?? []),
);

/** Finds the format of a file by its name and the folder that it is in. Returns undefined if no format has such names. */
export function findFileFormatByPath(path: string): DependencyFileFormat | undefined {
  const name = basename(path);
  const parent = basename(dirname(path));
  return dependencyFileFormats.find(
    ({ fileName, pathEnd, folder }) =>
      (fileName.test(name) || pathEnd?.test(`${parent}/${name}`) === true) &&
      (folder === undefined || isInFolder(path, folder)),
  );
}

function isInFolder(path: string, folder: string): boolean {
  const names = path.split(/[\\/]/).slice(0, -1);
  return names.slice(-folder.split("/").length).join("/") === folder;
}

/** The format of a name that `--kind` takes. */
export function findFileFormatByKind(name: string): DependencyFileFormat | undefined {
  return dependencyFileFormats.find((each) => each.name === name);
}
