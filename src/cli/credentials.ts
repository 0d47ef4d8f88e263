import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getOption, type DescMethod } from "@bufbuild/protobuf";
import {
  CredentialKind,
  method as methodPolicy,
} from "../../gen/ts/causeway/options/v1/options_pb.ts";
import { isLoopback } from "./server-url.ts";

interface CredentialSource {
  /** The environment variable that holds it. */
  readonly variable: string;
  /** The file of the data directory that a first start wrote it to. */
  readonly file: string;
  /** What it is, for messages. */
  readonly meaning: string;
}

const operatorToken: CredentialSource = {
  variable: "CAUSEWAY_ADMIN_TOKEN",
  file: "admin-token",
  meaning: "the operator token of the server",
};

const callerKey: CredentialSource = {
  variable: "CAUSEWAY_KEY",
  file: "first-key",
  meaning: "a caller key (cwk_…) or a session token (cws_…)",
};

/**
 * The credential that a method needs: the operator token for operator methods,
 * else a caller key or a session token; undefined for a method that needs none,
 * and when there is none. Where the environment has none, the files of the data
 * directory serve, but are only ever sent to this machine.
 */
export function credentialFor(
  method: DescMethod,
  url: URL,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  const source = credentialSource(method);
  if (source === undefined) return undefined;
  const given = environment[source.variable]?.trim();
  if (given) return given;
  const dataDirectory = environment["CAUSEWAY_DATA_DIR"] || ".causeway";
  return isLoopback(url) ? readToken(join(dataDirectory, source.file)) : undefined;
}

/** What to set when the server wants another credential than the method was called with. */
export function credentialHint(method: DescMethod): string {
  const source = credentialSource(method);
  return source === undefined ? "" : `Set ${source.variable} to ${source.meaning}.`;
}

function credentialSource(method: DescMethod): CredentialSource | undefined {
  const { credentials } = getOption(method, methodPolicy);
  if (credentials.length === 0) return undefined;
  return credentials.includes(CredentialKind.OPERATOR) ? operatorToken : callerKey;
}

/** A file that is not there, or not for us to read, is no credential; the server says that one is needed. */
function readToken(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
