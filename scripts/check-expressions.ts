/**
 * Fails when the time of a regular expression of src/, bin/ or proto/ can grow faster than
 * the text that it reads: `node scripts/check-expressions.ts [folder]`. What is bounded
 * otherwise stands with its reason in scripts/expressions/exceptions.ts, which only holds
 * for this repository and not for another folder.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { exceptions } from "./expressions/exceptions.ts";
import { expressionsInCode, expressionsInProto } from "./expressions/find-expressions.ts";
import { judgeExpressions } from "./expressions/judge-expressions.ts";
import { repository } from "./run-tool.ts";

const folder = process.argv[2] ?? repository;
const files = globSync("{src,bin,proto}/**/*.{ts,js,proto}", { cwd: folder }).toSorted();
const found = files.flatMap((file) => {
  const text = readFileSync(join(folder, file), "utf8");
  return file.endsWith(".proto") ? expressionsInProto(file, text) : expressionsInCode(file, text);
});

const objections = await judgeExpressions(found, folder === repository ? exceptions : []);
for (const objection of objections) console.error(objection);
if (objections.length > 0) {
  console.error(
    "Write the expression so that each character is read once, or bound the text and say so in scripts/expressions/exceptions.ts.",
  );
}
// The checker's own process would keep this one.
process.exit(objections.length > 0 ? 1 : 0);
