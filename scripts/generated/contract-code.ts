import { join } from "node:path";
import { compileContract } from "../compile-contract.ts";
import { generateComments } from "../generate-comments.ts";
import { generateDescriptorSet } from "../generate-descriptor-set.ts";
import { runTool } from "../run-tool.ts";
import { copyThirdPartyProtos } from "../third-party-protos.ts";

/** What one command generates. */
export interface GeneratedOutput {
  /** What makes it. */
  readonly command: string;
  /** Files and folders that it makes whole, from the root of the repository. */
  readonly paths: readonly string[];
  /** Makes them below another root. Throws `MissingToolchainError`. */
  generate(root: string): Promise<void>;
}

/** The compiled contract, its comments, and the TypeScript that this server is built on. */
export const contractCode: GeneratedOutput = {
  command: "npm run gen",
  paths: ["gen/ts", "gen/comments.json", "gen/causeway.binpb"],
  async generate(root) {
    await copyThirdPartyProtos();
    await runTool("buf", ["generate", "--output", root]);
    const contract = await compileContract();
    await generateComments(contract, join(root, "gen/comments.json"));
    await generateDescriptorSet(contract, join(root, "gen/causeway.binpb"));
  },
};
