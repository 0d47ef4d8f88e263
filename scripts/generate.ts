/**
 * `npm run gen`: writes gen/ts anew from proto/ and buf.gen.yaml. With `--check`
 * it writes nothing and fails when gen/ts is not what it would write.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTool } from "./run-tool.ts";
import { layOutThirdPartyProtos } from "./third-party-protos.ts";

await layOutThirdPartyProtos();
await (process.argv.includes("--check") ? check() : runTool("buf", ["generate"]));

async function check(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "causeway-generate-"));
  try {
    await runTool("buf", ["generate", "--output", folder]);
    await runTool("git", ["diff", "--no-index", "--stat", "gen/ts", join(folder, "gen/ts")]);
  } catch (error) {
    process.exitCode = 1;
    console.error(`gen/ts does not belong to proto/, run: npm run gen\n${String(error)}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}
