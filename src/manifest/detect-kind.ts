import type { ManifestKind } from "./manifest.ts";
import { isRequirementsTxtLine } from "./requirements/requirement-line.ts";
import { iterateLogicalLines } from "./requirements/logical-lines.ts";

/** What a text is, or why it is neither of the kinds that are read. */
export type ManifestKindDetection = { readonly kind: ManifestKind } | { readonly reason: string };

/**
 * Tells the kind of a manifest by its text: an object of JSON is a package.json,
 * a text with at least one line that pip would take is a requirements.txt, unless
 * it bears the marks of another format, which the reason names.
 */
export function detectManifestKindFromText(text: string): ManifestKindDetection {
  if (text.trim() === "") return { reason: "empty" };
  const format = text.trimStart().startsWith("{") ? jsonFormat(text) : textFormat(text);
  if (format !== undefined) return { reason: `unsupported_format: it looks like ${format}` };
  if (text.trimStart().startsWith("{")) return { kind: "package.json" };
  for (const line of iterateLogicalLines(text)) {
    if (isRequirementsTxtLine(line)) return { kind: "requirements.txt" };
  }
  return { reason: "unknown_format" };
}

/** A format, and the signs that a text of it bears, all of them. */
type Mark = readonly [format: string, ...signs: RegExp[]];

/**
 * Formats of text, by signs that a requirements.txt never bears. Each sign looks
 * at one line or a bounded piece: the text is a stranger's, and long.
 */
const textMarks: readonly Mark[] = [
  ["a yarn.lock", /^# yarn lockfile v1|^__metadata:[ \t]*$/m],
  ["a pnpm-lock.yaml", /^lockfileVersion:/m],
  ["a pnpm-workspace.yaml", /^packages:[ \t]*$/m],
  ["a poetry.lock", /^\[\[package\]\]$/m, /^\[metadata\]$/m, /^content-hash\b/m],
  ["a pdm.lock", /^\[\[package\]\]$/m, /^content_hash\b/m],
  ["a uv.lock", /^\[\[package\]\]$/m, /^source = \{/m],
  ["a Cargo.lock", /^\[\[package\]\]$/m],
  ["a Pipfile", /^\[\[source\]\]$|^\[(dev-)?packages\]$/m],
  ["a Cargo.toml", /^\[(dependencies|workspace|dev-dependencies|build-dependencies|package)[\].]/m],
  ["a pyproject.toml", /^\[(project|build-system|tool)[\].]/m],
  ["a setup.cfg", /^\[(metadata|options)\]$/m],
  ["a TOML file", /^\[\[?[\w."-]{1,100}\]?\]$/m],
  ["a go.mod", /^module[ \t]+\S/m],
  ["a go.sum", /^\S{1,500} v\S{1,200} h1:/m],
  ["a Gemfile.lock", /^(GEM|PLATFORMS|BUNDLED WITH)$/m],
  ["a Gemfile", /^[ \t]{0,20}gem[ \t]+["']|^source[ \t]+["']/m],
  ["a gemspec", /Gem::Specification\.new/],
  ["a pom.xml", /<project[\s>]/, /<(modelVersion|groupId|artifactId)>/],
  ["a csproj", /<Project[\s>]/, /<(PackageReference|PropertyGroup|ItemGroup)\b|<Project\s+Sdk=/],
  ["a packages.config", /<packages>/, /<package\b/],
  ["a CycloneDX document", /<bom\b/, /cyclonedx/i],
  ["an SPDX document", /^SPDXVersion:/m],
  ["a build.gradle", /^[ \t]{0,20}(implementation|api|testImplementation|compile)[ \t]*[("']/m],
  ["an environment.yml", /^dependencies:[ \t]*$/m],
  ["a YAML document", /^---$/m],
];

function textFormat(text: string): string | undefined {
  const lines = text.replaceAll("\r\n", "\n");
  const format = textMarks.find(([, ...signs]) => signs.every((sign) => sign.test(lines)))?.[0];
  return format ?? (lines.trimStart().startsWith("<") ? "an XML document" : undefined);
}

/** Formats of JSON, by members of the top level; text that is no JSON is judged as a package.json. */
function jsonFormat(text: string): string | undefined {
  const json = parsedObject(text);
  if (json === undefined) return undefined;
  const has = (name: string) => Object.hasOwn(json, name);
  if (json["bomFormat"] === "CycloneDX") return "a CycloneDX document";
  if (has("spdxVersion") || has("SPDXID")) return "an SPDX document";
  if (has("_meta") && has("default")) return "a Pipfile.lock";
  if (has("lockfileVersion")) return "a package-lock.json";
  if (has("packages") && has("content-hash")) return "a composer.lock";
  const isNpm = [
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
  ].some(has);
  if (isNpm) return undefined;
  if (has("require") || has("require-dev")) return "a composer.json";
  return has("imports") && !has("name") ? "a deno.json" : undefined;
}

function parsedObject(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
