/** `npm run check`: every check that is not a test, in one command. Stops at the first that fails. */
import { spawnSync } from "node:child_process";

const checks: readonly (readonly [name: string, command: string, ...parameters: string[]])[] = [
  ["format", "oxfmt", "--check", "."],
  ["lint", "oxlint", "--type-aware", "--deny-warnings"],
  ["types", "tsc", "--noEmit"],
  ["regular expressions", "node", "scripts/check-expressions.ts"],
  ["wording", "node", "scripts/check-wording.ts"],
  ["contract: generated code", "node", "scripts/generate.ts", "--check"],
  ["contract: Go", "node", "scripts/generate.ts", "go", "--check"],
  ["contract: Python", "node", "scripts/generate.ts", "python", "--check"],
  ["contract: format", "buf", "format", "--diff", "--exit-code", "proto"],
  ["contract: lint", "buf", "lint"],
  ["contract: breaking changes", "node", "scripts/check-breaking-changes.ts"],
  ["unused code and dependencies", "knip"],
];

for (const [name, command, ...parameters] of checks) {
  console.log(`check: ${name}`);
  const { status, error } = spawnSync(command, parameters, { stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) {
    console.error(`check failed: ${name} (${[command, ...parameters].join(" ")})`);
    process.exit(status ?? 1);
  }
}
