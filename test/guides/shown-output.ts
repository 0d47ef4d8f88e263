/**
 * Throws unless what was printed is what a guide shows. In it `…` stands for anything within
 * a line, and alone on a line for any lines. Columns are as wide as what stands in them.
 */
export function expectShown(printed: string, shown: string): void {
  const lines = evenly(shown).split("\n").map(patternOf);
  if (new RegExp(`^${lines.join("")}$`).test(`${evenly(printed)}\n`)) return;
  throw new Error(`The guide shows:\n${shown}\nIt printed:\n${printed}`);
}

function patternOf(line: string): string {
  if (line.trim() === "…") return "(?:[^]*\\n)?";
  return `${line.split("…").map(literally).join(".*")}\\n`;
}

function literally(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");
}

function evenly(text: string): string {
  return text
    .trim()
    .replaceAll(/ {2,}/g, "  ")
    .replaceAll(/[ \r]+$/gm, "");
}
