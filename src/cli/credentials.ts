import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getOption, type DescMethod } from "@bufbuild/protobuf";
import {
  CredentialKind,
  method as methodPolicy,
} from "../../gen/ts/causeway/options/v1/options_pb.ts";

/**
 * The credential that a method needs: the operator token for operator methods,
 * else `CAUSEWAY_KEY` (a caller key or a session token). Where the environment
 * has none, the files that a first start wrote into the data directory serve.
 */
export function credentialFor(
  method: DescMethod,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  const { credentials } = getOption(method, methodPolicy);
  if (credentials.length === 0) return undefined;
  const dataDirectory = environment["CAUSEWAY_DATA_DIR"] ?? ".causeway";
  return credentials.includes(CredentialKind.OPERATOR)
    ? (environment["CAUSEWAY_ADMIN_TOKEN"] ?? readToken(join(dataDirectory, "admin-token")))
    : (environment["CAUSEWAY_KEY"] ?? readToken(join(dataDirectory, "first-key")));
}

function readToken(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
