import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import { methodPolicy, type AcceptedCredential } from "../contract/method-policy.ts";
import { CallError } from "./call-error.ts";
import type { Caller } from "./caller.ts";
import { ownerEmail, type NamedProfile } from "./profile/profile.ts";
import { gateway, isLoopback, plainAddress } from "./server-url.ts";

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
 * Returns the credential that a method needs: the operator token for operator methods, else a
 * session or a caller key; undefined if it needs none or there is none. A profile is the only
 * identity: beside one that is named no key of the environment is used, and beside any the files
 * of the data directory only if it is the machine owner's, whose they are. They are only ever
 * sent to this machine. No profile has an operator token, so that the environment gives it always.
 */
export function credentialFor(
  method: DescMethod,
  url: URL,
  caller: Caller,
): Credential | undefined {
  const source = credentialSource(method);
  if (source === undefined) return undefined;
  const isFromEnvironment = source === operatorToken || caller.isNamed !== true;
  const given = isFromEnvironment ? caller.environment[source.variable]?.trim() : undefined;
  if (given) return { token: given, from: "environment" };
  const own = ownToken(method, url, caller);
  if (own !== undefined) return { token: own, from: "profile" };
  const token =
    isLoopback(url) && isMachineOwner(caller) ? readToken(fileOf(source, caller)) : undefined;
  return token === undefined ? undefined : { token, from: "data directory" };
}

/**
 * Returns the credential for a call. Throws a `CallError` that says what to do if the profile has
 * none: the call would be refused, and must not be somebody else's.
 */
export function credentialForCall(
  method: DescMethod,
  url: URL,
  caller: Caller,
): Credential | undefined {
  const credential = credentialFor(method, url, caller);
  const source = credentialSource(method);
  const { profile, isNamed } = caller;
  if (credential !== undefined || source === undefined || profile === undefined) return credential;
  const isHere = profileOf(url, caller) !== undefined;
  if (source === operatorToken) {
    if (isNamed === true || isHere) throw noOperatorToken(profile, fileOf(source, caller));
  } else if (isHere) throw noCallerKey(profile, caller);
  else if (isNamed === true) throw otherServer(profile, url);
  return undefined;
}

function noCallerKey(profile: NamedProfile, { environment, isNamed }: Caller): CallError {
  const other =
    isNamed !== true
      ? `\nOr set CAUSEWAY_KEY to ${callerKey.meaning}.`
      : environment["CAUSEWAY_KEY"]
        ? "\nCAUSEWAY_KEY is not used, because the profile is named."
        : "";
  return new CallError(
    `The profile "${profile.name}" has no caller key, and a session is not accepted here.\n` +
      `Create one: ${createKeyCommand(profile)}${other}`,
  );
}

function noOperatorToken({ name, email }: NamedProfile, file: string): CallError {
  return new CallError(
    `The profile "${name}" is of ${email}, who has no operator token.\n` +
      `Set CAUSEWAY_ADMIN_TOKEN to ${operatorToken.meaning}; on its own machine: ` +
      `export CAUSEWAY_ADMIN_TOKEN=$(cat ${file})`,
  );
}

function otherServer({ name, url: own }: NamedProfile, url: URL): CallError {
  return new CallError(
    `The profile "${name}" is of ${own}, and this command goes to ${plainAddress(url)}.\n` +
      `Go to the server of the profile: unset ${gateway.variable}`,
  );
}

/** The session where the method takes one, else the key; a profile sends both to its own server alone. */
function ownToken(method: DescMethod, url: URL, caller: Caller): string | undefined {
  const profile = profileOf(url, caller);
  if (takes(method, "session")) return profile?.session;
  return takes(method, "key") ? profile?.key?.secret : undefined;
}

/** Whether the data directory of this machine is the caller's: its owner's, and anybody's without a profile. */
function isMachineOwner({ profile }: Caller): boolean {
  if (profile === undefined) return true;
  const url = URL.parse(profile.url);
  return profile.email === ownerEmail && url !== null && isLoopback(url);
}

function fileOf({ file }: CredentialSource, { environment }: Caller): string {
  return join(environment["CAUSEWAY_DATA_DIR"] || ".causeway", file);
}

/** Returns what a person types to give a profile a caller key. */
export function createKeyCommand({ name }: NamedProfile): string {
  return `npx causeway profiles create-key --profile ${name}`;
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
