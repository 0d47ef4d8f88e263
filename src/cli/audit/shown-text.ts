import { findFileFormatByKind } from "../../manifest/file-formats.ts";
import type { UnparsableManifestText } from "../../manifest/manifest.ts";

/** Formats that are read line by line: a line of any other text may look like one of theirs. */
const lineFormats: ReadonlyMap<string, RegExp> = new Map([
  ["requirements.txt", /^(git|url|registry)\b/],
  ["constraints.txt", /^(git|url|registry)\b/],
  ["setup.cfg", /^(git|url)\b/],
  ["environment.yml", /^(git|url|conda)\b/],
  ["build.gradle", /^(registry|unsupported_registry)\b/],
  ["settings.gradle", /^(registry|unsupported_registry)\b/],
  ["Gemfile", /^(git|local|registry)\b/],
]);

/** Formats whose grammar makes a dependency of an element, whatever its values are. */
const elementFormats = /^(pom\.xml|csproj|Directory\.(Build|Packages)\.props)$/;

/**
 * Returns what may be shown of a text that was not assessed: a dependency by the grammar of its
 * format, without secrets. Undefined for any other text, which may be anything that lies on the
 * machine.
 */
export function getSafeUnparsedText(
  kind: string,
  { text, reason }: UnparsableManifestText,
): string | undefined {
  const isDependency =
    lineFormats.get(kind)?.test(reason) ??
    (/^(git|url|local|registry|reference|unsupported_registry|(no|invalid)_package_url)\b/.test(
      reason,
    ) ||
      (elementFormats.test(kind) && /^(expression|include)\b/.test(reason)) ||
      // The text is a host, or the name of a setting.
      (findFileFormatByKind(kind)?.isSettings === true &&
        !/^(line_too_long|invalid)/.test(reason)));
  return isDependency ? redactUrlSecrets(text) : undefined;
}

/**
 * Masks user, password and query of the addresses in a text. A text that was cut may end in the
 * middle of a password, and a password may have a slash that nobody escaped.
 */
export function redactUrlSecrets(text: string): string {
  if (!/[:/]/.test(text)) return text;
  const plain = text.replaceAll(/(:\/\/)[^\s/?#"'@]*(?:@[^\s/?#"'@]*)*(?:@|…$)/g, "$1***@");
  return plain
    .replaceAll(/[^\s"'@]+@?/g, (run, start: number) =>
      run.endsWith("@") || (run.endsWith("…") && start + run.length === plain.length)
        ? withoutPassword(run)
        : run,
    )
    .replaceAll(/[^\s#"']+/g, withoutQuery);
}

/** Of a text that ends in `@`, or is cut. */
function withoutPassword(run: string): string {
  const masked = run.replace(/(:\/\/)[^/?#:]*:(?!\d+(?:[/?#]|$)|\*)[^]*$/, "$1***@");
  if (!masked.endsWith("@")) return masked;
  return masked.replace(/\b(github|gitlab|bitbucket|gist):[^]*$/, "$1:***@");
}

function withoutQuery(run: string): string {
  const start = run.search(/:\/\/|\bpkg:/);
  const query = start === -1 ? -1 : run.indexOf("?", start);
  return query === -1 ? run : `${run.slice(0, query + 1)}***`;
}
