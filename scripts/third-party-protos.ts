import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { file_buf_validate_validate } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { printProto } from "./print-proto.ts";
import { repository } from "./run-tool.ts";

/** Ignored folder that is laid out; buf.yaml names it as a module. */
export const thirdPartyFolder = ".proto";

const googleFiles = ["annotations", "http", "httpbody"].map((name) => `google/api/${name}.proto`);
const validateFile = "buf/validate/validate.proto";

/**
 * Lays the protos that ours import out under their standard import paths. They
 * come out of npm packages, so that buf needs no registry of its own: google/api
 * as files, buf/validate printed from its compiled descriptor, because no package
 * carries its source.
 */
export async function copyThirdPartyProtos(): Promise<void> {
  const google = dirname(fileURLToPath(import.meta.resolve("google-proto-files/package.json")));
  for (const file of googleFiles) {
    await cp(join(google, file), await placeFor(file));
  }
  await writeFile(await placeFor(validateFile), printProto(file_buf_validate_validate));
}

async function placeFor(file: string): Promise<string> {
  const path = join(repository, thirdPartyFolder, file);
  await mkdir(dirname(path), { recursive: true });
  return path;
}
