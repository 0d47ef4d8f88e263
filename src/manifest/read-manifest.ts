import { detectManifestKindFromText } from "./detect-kind.ts";
import { toExcerptWithDigest, type ManifestKind, type ParsedManifest } from "./manifest.ts";
import { parsePackageJson } from "./package-json/read-package-json.ts";
import { parseRequirements } from "./requirements/read-requirements.ts";

/**
 * Reads a manifest of a kind, or of whatever kind it looks like (`auto`). Never
 * throws: what cannot be read is reported as unparsed.
 */
export function parseManifestTextByKind(text: string, kind: ManifestKind | "auto"): ParsedManifest {
  const content = text.replace(/^\uFEFF/, "");
  if (kind !== "auto") return readAs(content, kind);
  const detected = detectManifestKindFromText(content);
  return "kind" in detected ? readAs(content, detected.kind) : rejectManifest(content, detected);
}

function readAs(text: string, kind: ManifestKind): ParsedManifest {
  return kind === "package.json" ? parsePackageJson(text) : parseRequirements(text);
}

function rejectManifest(text: string, { reason }: { readonly reason: string }): ParsedManifest {
  const lines = text.split(/\r\n|\r|\n/);
  const first = lines.findIndex((line) => line.trim() !== "");
  const row = { line: Math.max(0, first) + 1, ...toExcerptWithDigest(lines[first] ?? ""), reason };
  return { kind: undefined, dependencies: [], unparsed: [row] };
}
