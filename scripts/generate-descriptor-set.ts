import { writeFile } from "node:fs/promises";
import { toBinary } from "@bufbuild/protobuf";
import {
  FileDescriptorSetSchema,
  type FileDescriptorSet,
  type SourceCodeInfo,
} from "@bufbuild/protobuf/wkt";
import { withoutReferences } from "./compile-contract.ts";

/**
 * Writes the compiled contract to a file, with its comments and all that it imports,
 * so that generators of other languages need neither the protos of third parties nor
 * what lays them out.
 */
export async function generateDescriptorSet(
  contract: FileDescriptorSet,
  target: string,
): Promise<void> {
  const file = contract.file.map((it) => ({
    ...it,
    ...(it.sourceCodeInfo !== undefined && { sourceCodeInfo: readable(it.sourceCodeInfo) }),
  }));
  await writeFile(target, toBinary(FileDescriptorSetSchema, { ...contract, file }));
}

function readable(info: SourceCodeInfo): SourceCodeInfo {
  const location = info.location.map((it) => ({
    ...it,
    leadingComments: withoutReferences(it.leadingComments),
    trailingComments: withoutReferences(it.trailingComments),
    leadingDetachedComments: it.leadingDetachedComments.map(withoutReferences),
  }));
  return { ...info, location };
}
