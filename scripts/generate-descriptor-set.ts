import { writeFile } from "node:fs/promises";
import { toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema, type FileDescriptorSet } from "@bufbuild/protobuf/wkt";

/**
 * Writes the compiled contract to a file, with its comments and all that it imports,
 * so that generators of other languages need neither the protos of third parties nor
 * what lays them out.
 */
export async function generateDescriptorSet(
  contract: FileDescriptorSet,
  target: string,
): Promise<void> {
  await writeFile(target, toBinary(FileDescriptorSetSchema, contract));
}
