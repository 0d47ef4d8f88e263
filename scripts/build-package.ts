/**
 * `npm pack` runs this first: compiles the sources into dist/, because Node strips no
 * types below node_modules, with the types of what others import. A clone needs none of
 * it, it runs its sources.
 */
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { repository, runTool } from "./run-tool.ts";

const target = "dist";

/** What the program reads beside its sources, found from them as in a clone. */
const read = ["src", "gen/comments.json", "package.json"];

await rm(join(repository, target), { recursive: true, force: true });
await runTool("tsc", ["--project", "tsconfig.package.json"]);
await runTool("tsc", ["--project", "tsconfig.client.json"]);
for (const path of read) {
  await cp(join(repository, path), join(repository, target, path), {
    recursive: true,
    filter: (source) => !source.endsWith(".ts"),
  });
}
