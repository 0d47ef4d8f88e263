import { basename, dirname } from "node:path";
import { readCargoLock } from "./cargo/cargo-lock.ts";
import { readCargoToml } from "./cargo/cargo-toml.ts";
import type { ReadDependencyFile } from "./dependency-file.ts";
import { withoutLongLines } from "./document/long-lines.ts";
import { readGoMod, readGoWork } from "./go/go-mod.ts";
import { readGoSum } from "./go/go-sum.ts";
import { readBuildGradle } from "./maven/build-gradle.ts";
import { readGradleLockfile } from "./maven/gradle-lockfile.ts";
import { readPom } from "./maven/pom-xml.ts";
import { readSettingsGradle } from "./maven/settings-gradle.ts";
import { readBunLock } from "./npm/bun-lock.ts";
import { readPackageJsonFile } from "./npm/package-json-file.ts";
import { readPackageLock } from "./npm/package-lock.ts";
import { readPnpmLock } from "./npm/pnpm-lock.ts";
import { readYarnLock } from "./npm/yarn-lock.ts";
import { readCentralPackages, readProjectFile } from "./nuget/csproj.ts";
import { readDotnetTools, readGlobalJson } from "./nuget/dotnet-tools.ts";
import { readPackagesConfig } from "./nuget/packages-config.ts";
import { readPackagesLock } from "./nuget/packages-lock.ts";
import { readComposerJson } from "./packagist/composer-json.ts";
import { readComposerLock } from "./packagist/composer-lock.ts";
import { readCondaEnvironment } from "./pypi/conda-environment.ts";
import { readPdmLock } from "./pypi/pdm-lock.ts";
import { readPipfileLock } from "./pypi/pipfile-lock.ts";
import { readPipfile } from "./pypi/pipfile.ts";
import { readPoetryLock } from "./pypi/poetry-lock.ts";
import { readPyproject } from "./pypi/pyproject.ts";
import { readConstraintsFile, readRequirementsFile } from "./pypi/requirements-file.ts";
import { readSetupCfg } from "./pypi/setup-cfg.ts";
import { readUvLock } from "./pypi/uv-lock.ts";
import { readGemfileLock } from "./rubygems/gemfile-lock.ts";
import { readGemfile } from "./rubygems/gemfile.ts";
import { readCycloneDxJson } from "./sbom/cyclonedx-json.ts";
import { readCycloneDxXml } from "./sbom/cyclonedx-xml.ts";
import { readSpdxJson } from "./sbom/spdx-json.ts";
import { readSpdxTagValue } from "./sbom/spdx-tag-value.ts";
import {
  readBunfig,
  readCargoConfig,
  readMavenExtensions,
  readMavenSettings,
  readNugetConfig,
  readPnpmfile,
  readPnpmWorkspace,
  readSetupPy,
  readUvToml,
  readYarnrcYaml,
} from "./settings/document-settings.ts";
import {
  readBundleConfig,
  readGradleWrapper,
  readMavenConfig,
  readMavenWrapper,
  readNpmrc,
  readPipConf,
  readYarnrc,
} from "./settings/line-settings.ts";

/** A format of files that name dependencies, or that say where these come from. */
export interface FileFormat {
  /** As people call it; the word of `--kind`. */
  readonly name: string;
  /** Names that such files have. */
  readonly fileName: RegExp;
  readonly read: ReadDependencyFile;
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
  read: ReadDependencyFile,
  pins?: RegExp,
): FileFormat {
  return { name, fileName, read, pins, isSettings: false };
}

/** A format of settings. A name with slashes begins with the hidden folder that it is in. */
function settings(name: string, fileName: RegExp, read: ReadDependencyFile): FileFormat {
  const folder = dirname(name);
  const inFolder = folder === "." ? {} : { folder };
  return { name, fileName, read, pins: undefined, isSettings: true, ...inFolder };
}

const packageJson = /^package\.json$/;
const pyproject = /^pyproject\.toml$/;
/** `requirements` between separators or ends. */
const requirementsName = /^(?:(?!requirements[-_.])[^-_.]*[-_.])*requirements(?:[-_.].+)?\.txt$/;
const constraintsName = /^(?:(?!constraints[-_.])[^-_.]*[-_.])*constraints(?:[-_.].+)?\.txt$/;
const gradle = /^build\.gradle(\.kts)?$/;
const dotnetProject = /\.(cs|fs|vb)proj$/i;

/** Every format that is read; lock files before the manifests that they pin. */
export const fileFormats: readonly FileFormat[] = [
  format("package-lock.json", /^package-lock\.json$/, readPackageLock, packageJson),
  format("npm-shrinkwrap.json", /^npm-shrinkwrap\.json$/, readPackageLock, packageJson),
  format("pnpm-lock.yaml", /^pnpm-lock\.ya?ml$/, readPnpmLock, packageJson),
  format("yarn.lock", /^yarn\.lock$/, readYarnLock, packageJson),
  format("bun.lock", /^bun\.lock$/, readBunLock, packageJson),
  format("package.json", packageJson, readPackageJsonFile),
  format("uv.lock", /^uv\.lock$/, readUvLock, pyproject),
  format("poetry.lock", /^poetry\.lock$/, readPoetryLock, pyproject),
  format("pdm.lock", /^pdm\.lock$/, readPdmLock, pyproject),
  format("Pipfile.lock", /^Pipfile\.lock$/, readPipfileLock, /^Pipfile$/),
  format("Pipfile", /^Pipfile$/, readPipfile),
  format("pyproject.toml", pyproject, readPyproject),
  format("constraints.txt", constraintsName, readConstraintsFile),
  {
    ...format("requirements.txt", requirementsName, readRequirementsFile),
    pathEnd: /^requirements\/[^/]+\.txt$/,
  },
  format("setup.cfg", /^setup\.cfg$/, withoutLongLines(readSetupCfg)),
  format(
    "environment.yml",
    /^(?:conda[-_])?environment(?:[-_][\w-]+)?\.ya?ml$/,
    readCondaEnvironment,
  ),
  format("Cargo.lock", /^Cargo\.lock$/, readCargoLock, /^Cargo\.toml$/),
  format("Cargo.toml", /^Cargo\.toml$/, readCargoToml),
  format("go.sum", /^go\.sum$/, withoutLongLines(readGoSum), /^go\.mod$/),
  format("go.mod", /^go\.mod$/, withoutLongLines(readGoMod)),
  format("gradle.lockfile", /^gradle\.lockfile$/, withoutLongLines(readGradleLockfile), gradle),
  format(
    "buildscript-gradle.lockfile",
    /^buildscript-gradle\.lockfile$/,
    withoutLongLines(readGradleLockfile),
  ),
  // Plugins of the build itself and scripts that it applies have names of their own.
  format(
    "build.gradle",
    /^(?!settings\.gradle(?:\.kts)?$).*\.gradle(?:\.kts)?$/,
    withoutLongLines(readBuildGradle),
  ),
  format("pom.xml", /^pom\.xml$|\.pom$/, readPom),
  format("packages.lock.json", /^packages(\..+)?\.lock\.json$/, readPackagesLock, dotnetProject),
  format("packages.config", /^packages(\..+)?\.config$/i, readPackagesConfig),
  format("csproj", dotnetProject, readProjectFile),
  format("Directory.Build.props", /^Directory\.Build\.(props|targets)$/i, readProjectFile),
  format("Directory.Packages.props", /^Directory\.Packages\.props$/i, readCentralPackages),
  format(
    "Gemfile.lock",
    /^(Gemfile|gems)\.(lock|locked)$/,
    readGemfileLock,
    /^(Gemfile|gems\.rb)$/,
  ),
  format("Gemfile", /^(Gemfile|gems\.rb)$/, withoutLongLines(readGemfile)),
  format("composer.lock", /^composer\.lock$/, readComposerLock, /^composer\.json$/),
  format("composer.json", /^composer\.json$/, readComposerJson),
  format(
    "cyclonedx.json",
    /^(?:bom|.*\.cdx|(?:(?!cyclonedx).)*cyclonedx.*)\.json$/i,
    readCycloneDxJson,
  ),
  format(
    "cyclonedx.xml",
    /^(?:bom|.*\.cdx|(?:(?!cyclonedx).)*cyclonedx.*)\.xml$/i,
    readCycloneDxXml,
  ),
  format("spdx.json", /\.spdx\.json$/i, readSpdxJson),
  format("spdx", /\.spdx$/i, readSpdxTagValue),
  settings(".npmrc", /^\.npmrc$/, withoutLongLines(readNpmrc)),
  settings(".yarnrc", /^\.yarnrc$/, withoutLongLines(readYarnrc)),
  settings(".yarnrc.yml", /^\.yarnrc\.yml$/, readYarnrcYaml),
  settings("pnpm-workspace.yaml", /^pnpm-workspace\.ya?ml$/, readPnpmWorkspace),
  settings(".pnpmfile.cjs", /^\.pnpmfile\.[cm]?js$|^pnpmfile\.js$/, readPnpmfile),
  settings("bunfig.toml", /^\.?bunfig\.toml$/, readBunfig),
  settings("pip.conf", /^pip\.(conf|ini)$/, withoutLongLines(readPipConf)),
  settings("setup.py", /^setup\.py$/, readSetupPy),
  settings("uv.toml", /^uv\.toml$/, readUvToml),
  settings(".cargo/config.toml", /^config(\.toml)?$/, readCargoConfig),
  settings("go.work", /^go\.work$/, withoutLongLines(readGoWork)),
  settings("settings.gradle", /^settings\.gradle(\.kts)?$/, withoutLongLines(readSettingsGradle)),
  settings(
    "gradle-wrapper.properties",
    /^gradle-wrapper\.properties$/,
    withoutLongLines(readGradleWrapper),
  ),
  settings(".mvn/maven.config", /^maven\.config$/, withoutLongLines(readMavenConfig)),
  settings(
    ".mvn/wrapper/maven-wrapper.properties",
    /^maven-wrapper\.properties$/,
    withoutLongLines(readMavenWrapper),
  ),
  settings(".mvn/extensions.xml", /^extensions\.xml$/, readMavenExtensions),
  settings(".mvn/settings.xml", /settings\.xml$/, readMavenSettings),
  settings("nuget.config", /^nuget\.config$/i, readNugetConfig),
  settings(".config/dotnet-tools.json", /^dotnet-tools\.json$/, readDotnetTools),
  settings("dotnet-tools.json", /^dotnet-tools\.json$/, readDotnetTools),
  settings("global.json", /^global\.json$/i, readGlobalJson),
  settings(".bundle/config", /^config$/, withoutLongLines(readBundleConfig)),
];

/** Hidden folders of package managers with files of settings, `.mvn`, and folders within, `.mvn/wrapper`. */
export const settingsFolders: ReadonlySet<string> = new Set(
  fileFormats.flatMap(({ folder }) => folder ?? []),
);

/** Finds the format of a file by its name and the folder that it is in. Returns undefined if no format has such names. */
export function formatOfPath(path: string): FileFormat | undefined {
  const name = basename(path);
  const parent = basename(dirname(path));
  return fileFormats.find(
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
export function findFormatByName(name: string): FileFormat | undefined {
  return fileFormats.find((each) => each.name === name);
}
