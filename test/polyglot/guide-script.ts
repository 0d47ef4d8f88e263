import { guideSteps, type GuideStep } from "../guides/guide-steps.ts";

/** What a reader does who follows one section of docs/generated-clients.md, as a script for bash. */
export function guideScript(heading: string): string {
  const steps = guideSteps("generated-clients.md", heading).map(scriptOf);
  return ["set -euo pipefail", ...steps].join("\n");
}

function scriptOf({ kind, file, text }: GuideStep): string {
  if (kind === "file") return `cat > ${file} <<'END_OF_FILE'\n${text}END_OF_FILE`;
  if (kind === "command") return text;
  throw new Error(`A script cannot hold a step of the kind ${kind}.`);
}
