import { detectKind } from "./detect-kind.ts";
import { textToReport, type ManifestKind, type ReadManifest } from "./manifest.ts";
import { readPackageJson } from "./package-json/read-package-json.ts";
import { readRequirements } from "./requirements/read-requirements.ts";

/**
 * Reads a manifest of a kind, or of whatever kind it looks like (`auto`). Never
 * throws: what cannot be read is reported as unparsed.
 */
export function readManifest(text: string, kind: ManifestKind | "auto"): ReadManifest {
  const content = text.replace(/^\uFEFF/, "");
  if (kind !== "auto") return readAs(content, kind);
  const detected = detectKind(content);
  return "kind" in detected ? readAs(content, detected.kind) : rejectManifest(content, detected);
}

function readAs(text: string, kind: ManifestKind): ReadManifest {
  return kind === "package.json" ? readPackageJson(text) : readRequirements(text);
}

function rejectManifest(text: string, { reason }: { readonly reason: string }): ReadManifest {
  const lines = text.split(/\r\n|\r|\n/);
  const first = lines.findIndex((line) => line.trim() !== "");
  const row = { line: Math.max(0, first) + 1, ...textToReport(lines[first] ?? ""), reason };
  return { kind: undefined, dependencies: [], unparsed: [row] };
}
