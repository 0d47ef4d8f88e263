import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema, type FileDescriptorSet } from "@bufbuild/protobuf/wkt";
import { runTool } from "./run-tool.ts";

/**
 * Compiles proto/causeway and all that it imports, with comments and source
 * positions. The protos of third parties must have been laid out.
 */
export async function compileContract(): Promise<FileDescriptorSet> {
  const folder = await mkdtemp(join(tmpdir(), "causeway-contract-"));
  try {
    const image = join(folder, "contract.binpb");
    const form = ["--as-file-descriptor-set", "--output", image];
    await runTool("buf", ["build", "proto", "--path", "proto/causeway", ...form]);
    return fromBinary(FileDescriptorSetSchema, await readFile(image));
  } finally {
    await rm(folder, { recursive: true });
  }
}
