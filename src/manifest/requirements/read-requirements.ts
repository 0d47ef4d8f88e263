import {
  show,
  type ManifestDependency,
  type ReadManifest,
  type UnparsedText,
} from "../manifest.ts";
import { logicalLines } from "./logical-lines.ts";
import { readRequirementLine } from "./requirement-line.ts";

/** Reads a requirements.txt line by line; a line that cannot be read loses nothing but itself. */
export function readRequirements(text: string): ReadManifest {
  const dependencies: ManifestDependency[] = [];
  const unparsed: UnparsedText[] = [];
  for (const { line, text: content } of logicalLines(text)) {
    const read = readRequirementLine(content);
    if (read === "no_dependency") continue;
    if ("dependency" in read) dependencies.push({ ...read.dependency, line });
    else unparsed.push({ line, text: show(content), reason: read.reason });
  }
  return { kind: "requirements.txt", dependencies, unparsed };
}
