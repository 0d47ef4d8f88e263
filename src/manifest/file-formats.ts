import { readCargoLock } from "./cargo/cargo-lock.ts";
import { readCargoToml } from "./cargo/cargo-toml.ts";
import type { ReadDependencyFile } from "./dependency-file.ts";
import { withoutLongLines } from "./document/long-lines.ts";
import { readGoMod } from "./go/go-mod.ts";
import { readGoSum } from "./go/go-sum.ts";
import { readBuildGradle } from "./maven/build-gradle.ts";
import { readGradleLockfile } from "./maven/gradle-lockfile.ts";
import { readPom } from "./maven/pom-xml.ts";
import { readBunLock } from "./npm/bun-lock.ts";
import { readPackageJsonFile } from "./npm/package-json-file.ts";
import { readPackageLock } from "./npm/package-lock.ts";
import { readPnpmLock } from "./npm/pnpm-lock.ts";
import { readYarnLock } from "./npm/yarn-lock.ts";
import { readCentralPackages, readProjectFile } from "./nuget/csproj.ts";
import { readPackagesLock } from "./nuget/packages-lock.ts";
import { readComposerJson } from "./packagist/composer-json.ts";
import { readComposerLock } from "./packagist/composer-lock.ts";
import { readPipfileLock } from "./pypi/pipfile-lock.ts";
import { readPipfile } from "./pypi/pipfile.ts";
import { readPoetryLock } from "./pypi/poetry-lock.ts";
import { readPyproject } from "./pypi/pyproject.ts";
import { readRequirementsFile } from "./pypi/requirements-file.ts";
import { readUvLock } from "./pypi/uv-lock.ts";
import { readGemfileLock } from "./rubygems/gemfile-lock.ts";
import { readGemfile } from "./rubygems/gemfile.ts";
import { readCycloneDxJson } from "./sbom/cyclonedx-json.ts";
import { readCycloneDxXml } from "./sbom/cyclonedx-xml.ts";
import { readSpdxJson } from "./sbom/spdx-json.ts";
import { readSpdxTagValue } from "./sbom/spdx-tag-value.ts";

/** A format of files that name dependencies. */
export interface FileFormat {
  /** As people call it; the word of `--kind`. */
  readonly name: string;
  /** Names that such files have. */
  readonly fileName: RegExp;
  readonly read: ReadDependencyFile;
  /** Names of the manifests that a lock file pins; empty for all else. */
  readonly pins: RegExp | undefined;
}

function format(
  name: string,
  fileName: RegExp,
  read: ReadDependencyFile,
  pins?: RegExp,
): FileFormat {
  return { name, fileName, read, pins };
}

const packageJson = /^package\.json$/;
const pyproject = /^pyproject\.toml$/;
/** `requirements` between separators or ends. */
const requirementsName = /^(?:(?!requirements[-_.])[^-_.]*[-_.])*requirements(?:[-_.].+)?\.txt$/;
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
  format("Pipfile.lock", /^Pipfile\.lock$/, readPipfileLock, /^Pipfile$/),
  format("Pipfile", /^Pipfile$/, readPipfile),
  format("pyproject.toml", pyproject, readPyproject),
  format("requirements.txt", requirementsName, readRequirementsFile),
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
  format("build.gradle", gradle, withoutLongLines(readBuildGradle)),
  format("pom.xml", /^pom\.xml$|\.pom$/, readPom),
  format("packages.lock.json", /^packages(\..+)?\.lock\.json$/, readPackagesLock, dotnetProject),
  format("csproj", dotnetProject, readProjectFile),
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
];

/** The format of a file by its name; undefined: no format has such names. */
export function formatOfName(fileName: string): FileFormat | undefined {
  return fileFormats.find((each) => each.fileName.test(fileName));
}

/** The format of a name that `--kind` takes. */
export function formatNamed(name: string): FileFormat | undefined {
  return fileFormats.find((each) => each.name === name);
}
