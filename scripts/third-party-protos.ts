import { cp, mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";
import { file_buf_validate_validate } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { printProto } from "./print-proto.ts";

const target = ".proto";
const googleFiles = ["annotations", "http", "httpbody"].map((name) => `google/api/${name}.proto`);

/**
 * Lays the protos that ours import into the ignored folder `.proto/`, under
 * their standard import paths. They come out of npm packages, so that buf needs
 * no registry of its own: google/api as files, buf/validate printed from its
 * compiled descriptor, because no package carries its source.
 */
export async function layOutThirdPartyProtos(root: string): Promise<void> {
  const packageRoot = dirname(
    fileURLToPath(import.meta.resolve("google-proto-files/package.json")),
  );
  for (const file of googleFiles) {
    await mkdir(dirname(join(root, target, file)), { recursive: true });
    await cp(join(packageRoot, file), join(root, target, file));
  }
  const validate = join(root, target, "buf/validate/validate.proto");
  await mkdir(dirname(validate), { recursive: true });
  await writeFile(validate, printProto(file_buf_validate_validate));
}
