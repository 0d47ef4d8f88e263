/**
 * `npm run gen`: writes gen/ anew from proto/ and buf.gen.yaml. With `--check`
 * it writes nothing and fails when gen/ is not what it would write.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateComments } from "./generate-comments.ts";
import { runTool } from "./run-tool.ts";
import { layOutThirdPartyProtos } from "./third-party-protos.ts";

await layOutThirdPartyProtos();
await (process.argv.includes("--check") ? check() : generate("."));

async function generate(folder: string): Promise<void> {
  await runTool("buf", ["generate", "--output", folder]);
  await generateComments(join(folder, "gen/comments.json"));
}

async function check(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "causeway-generate-"));
  try {
    await generate(folder);
    await runTool("git", ["diff", "--no-index", "--stat", "gen", join(folder, "gen")]);
  } catch (error) {
    process.exitCode = 1;
    console.error(`gen/ does not belong to proto/, run: npm run gen\n${String(error)}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}
