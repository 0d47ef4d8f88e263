import { runTool } from "../run-tool.ts";
import { requireGo } from "../toolchain/go.ts";
import type { GeneratedOutput } from "./contract-code.ts";

/** Messages, Connect clients and gRPC, by the plugins that `gen/go/go.mod` pins. */
export const goCode: GeneratedOutput = {
  command: "npm run gen:go",
  paths: ["gen/go/causeway"],
  async generate(root) {
    await requireGo();
    await runTool("buf", ["generate", "--template", "buf.gen.go.yaml", "--output", root]);
  },
};
