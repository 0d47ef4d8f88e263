import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runTool } from "../run-tool.ts";
import { ensurePython } from "../toolchain/python.ts";
import type { GeneratedOutput } from "./contract-code.ts";

const packageFolder = "gen/python/src/causeway_client";

/** Messages, Connect clients and gRPC stubs, by the plugins that `gen/python/requirements.txt` pins. */
export const pythonCode: GeneratedOutput = {
  command: "npm run gen:python",
  paths: [packageFolder],
  async generate(root) {
    const { binaries } = await ensurePython();
    const template = ["--template", "buf.gen.python.yaml"];
    await runTool("buf", ["generate", ...template, "--output", root], { path: [binaries] });
    // Says that the package brings its types (PEP 561).
    await writeFile(join(root, packageFolder, "py.typed"), "");
  },
};
