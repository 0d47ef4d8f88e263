import {
  DependencyFileSyntaxError,
  type SiblingFileReader,
  type DependencyFile,
  type FileDependency,
} from "../dependency-file.ts";
import { toExcerptWithDigest, type UnparsableManifestText } from "../manifest.ts";
import { parseBuildGradle } from "./build-gradle.ts";
import { unsupportedGradlePluginRegistryReason } from "./gradle-plugins.ts";

/**
 * Reads a gradle.lockfile (`group:artifact:version=configurations`), or one of the
 * older files of one configuration each. Gradle does not say who needs whom.
 */
export function parseGradleLockfile(text: string, beside: SiblingFileReader): DependencyFile {
  const direct = directBeside(beside);
  const dependencies: FileDependency[] = [];
  const unparsed: UnparsableManifestText[] = [];
  for (const [index, raw] of text.split(/\r\n|\r|\n/).entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#") || line.startsWith("empty=")) continue;
    const [, group, artifact, version, configurations = ""] =
      /^([^:=\s]+):([^:=\s]+):([^:=\s]+)(?:=(\S*))?$/.exec(line) ?? [];
    if (group === undefined || artifact === undefined || version === undefined) {
      throw new DependencyFileSyntaxError(
        "invalid_lock: Gradle does not write such a line",
        index + 1,
      );
    }
    if (artifact === `${group}.gradle.plugin`) {
      unparsed.push({
        line: index + 1,
        ...toExcerptWithDigest(`${group}@${version}`),
        reason: unsupportedGradlePluginRegistryReason,
      });
      continue;
    }
    const name = `${group}:${artifact}`;
    const isDirect = direct?.has(name) === true;
    dependencies.push({
      ecosystem: "maven",
      name,
      requested: version,
      version,
      relation: isDirect ? "direct" : direct === undefined ? "unknown" : "transitive",
      groups: groupsOf(configurations.split(",").filter(Boolean)),
      paths: isDirect ? [[`${name}@${version}`]] : [],
      line: index + 1,
    });
  }
  return { dependencies, unparsed };
}

/** What the build file beside it asks for; undefined: there is none. */
function directBeside(beside: SiblingFileReader): ReadonlySet<string> | undefined {
  const text = beside("build.gradle") ?? beside("build.gradle.kts");
  if (text === undefined) return undefined;
  return new Set(parseBuildGradle(text, beside).dependencies.map(({ name }) => name));
}

/** The configurations by what they are for; those of plugins keep their names. */
function groupsOf(configurations: readonly string[]): string[] {
  const groups = configurations.map((name) => {
    if (/^test|Test/.test(name)) return "test";
    return /^(compile|runtime)Classpath$/.test(name) ? "production" : name;
  });
  return [...new Set(groups)];
}
