import { detectManifestKindFromText } from "./detect-kind.ts";
import { toExcerptWithDigest, type ManifestKind, type ParsedManifest } from "./manifest.ts";
import { runPausableParseToEnd, type PausableParse } from "./parse-steps.ts";
import { parsePackageJsonInSteps } from "./package-json/read-package-json.ts";
import { parseRequirementsInSteps } from "./requirements/read-requirements.ts";

/**
 * Reads a manifest of a kind, or of whatever kind it looks like (`auto`). Never
 * throws: what cannot be read is reported as unparsed.
 */
export function parseManifestTextByKind(text: string, kind: ManifestKind | "auto"): ParsedManifest {
  return runPausableParseToEnd(parseManifestInSteps(text, kind));
}

/** As `parseManifestTextByKind`, with a step for each entry. */
export function* parseManifestInSteps(
  text: string,
  kind: ManifestKind | "auto",
): PausableParse<ParsedManifest> {
  const content = text.replace(/^\uFEFF/, "");
  if (kind !== "auto") return yield* readAs(content, kind);
  const detected = detectManifestKindFromText(content);
  yield;
  if (!("kind" in detected)) return rejectManifest(content, detected);
  return yield* readAs(content, detected.kind);
}

function readAs(text: string, kind: ManifestKind): PausableParse<ParsedManifest> {
  return kind === "package.json" ? parsePackageJsonInSteps(text) : parseRequirementsInSteps(text);
}

function rejectManifest(text: string, { reason }: { readonly reason: string }): ParsedManifest {
  const lines = text.split(/\r\n|\r|\n/);
  const first = lines.findIndex((line) => line.trim() !== "");
  const row = { line: Math.max(0, first) + 1, ...toExcerptWithDigest(lines[first] ?? ""), reason };
  return { kind: undefined, dependencies: [], unparsed: [row] };
}
