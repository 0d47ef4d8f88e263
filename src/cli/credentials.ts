import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import { methodPolicy, type AcceptedCredential } from "../contract/method-policy.ts";
import type { Caller } from "./caller.ts";
import type { NamedProfile } from "./profile/profile.ts";
import { isLoopback, plainAddress } from "./server-url.ts";

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
  meaning: "a caller key (cwk_…)",
};

const session: CredentialSource = { ...callerKey, meaning: "a session token (cws_…)" };

const callerKeyOrSession: CredentialSource = {
  ...callerKey,
  meaning: `${callerKey.meaning} or ${session.meaning}`,
};

/** What a method is called with, and where that came from. */
export interface Credential {
  readonly token: string;
  readonly from: "environment" | "profile" | "data directory";
}

/**
 * The credential that a method needs: the operator token for operator methods,
 * else a session or a caller key; undefined for a method that needs none, and when
 * there is none. What the environment has is taken first, then the session of the
 * profile, where the method takes one and the profile is of this server, then the
 * files of the data directory, which are only ever sent to this machine.
 */
export function credentialFor(
  method: DescMethod,
  url: URL,
  caller: Caller,
): Credential | undefined {
  const source = credentialSource(method);
  if (source === undefined) return undefined;
  const given = caller.environment[source.variable]?.trim();
  if (given) return { token: given, from: "environment" };
  const profile = takes(method, "session") ? profileOf(url, caller) : undefined;
  if (profile !== undefined) return { token: profile.session, from: "profile" };
  const dataDirectory = caller.environment["CAUSEWAY_DATA_DIR"] || ".causeway";
  const token = isLoopback(url) ? readToken(join(dataDirectory, source.file)) : undefined;
  return token === undefined ? undefined : { token, from: "data directory" };
}

/** The variable that may hold what a method needs, and what that is: `CAUSEWAY_KEY to a caller key`. */
export function variableToSet(method: DescMethod): string {
  const { variable, meaning } = credentialSource(method) ?? callerKey;
  return `${variable} to ${meaning}`;
}

/** The profile, if it is of this server: a session goes to no other. */
export function profileOf(url: URL, { profile }: Caller): NamedProfile | undefined {
  return profile?.url === plainAddress(url) ? profile : undefined;
}

/** Whether a method takes a kind of credential. */
export function takes(method: DescMethod, kind: AcceptedCredential): boolean {
  return methodPolicy(method).credentials.includes(kind);
}

function credentialSource(method: DescMethod): CredentialSource | undefined {
  if (takes(method, "operator")) return operatorToken;
  const takesKey = takes(method, "key");
  if (takes(method, "session")) return takesKey ? callerKeyOrSession : session;
  return takesKey ? callerKey : undefined;
}

/** A file that is not there, or not for us to read, is no credential; the server says that one is needed. */
function readToken(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
