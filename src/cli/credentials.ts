import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import { readMethodPolicy, type AcceptedCredentialKind } from "../contract/method-policy.ts";
import { CliError } from "./cli-error.ts";
import type { CliProfileContext } from "./cli-context.ts";
import { readTrustedFile } from "./own-file.ts";
import { initialOwnerEmail, type NamedProfile } from "./profile/profile.ts";
import { quoteShellWordIfNeeded } from "../platform/shell-word.ts";
import {
  selectServiceUrlConfigByMethod,
  cliGatewayUrlConfig,
  isLoopbackUrl,
  formatUrlWithoutTrailingSlash,
  cliToolsServiceUrlConfig,
} from "./server-url.ts";

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
export interface CliCredential {
  readonly token: string;
  readonly from: "environment" | "profile" | "data directory";
}

/**
 * Returns the credential that a method needs: the operator token for operator methods, else a
 * session or a caller key; undefined if it needs none or there is none. A profile is the only
 * identity: beside one that is named no key of the environment is used, and beside any the files
 * of the data directory only if it is the machine owner's, whose they are. They are only ever
 * sent to this machine. No profile has an operator token, so that the environment gives it always.
 * Throws a `CliError` for a variable that no header can carry, and for a file of the data
 * directory that another user may have planted.
 */
export function resolveCliCredential(
  method: DescMethod,
  url: URL,
  caller: CliProfileContext,
): CliCredential | undefined {
  const source = credentialSource(method);
  if (source === undefined) return undefined;
  const isFromEnvironment = source === operatorToken || caller.isNamed !== true;
  const given = isFromEnvironment ? caller.environment[source.variable]?.trim() : undefined;
  if (given) return { token: sendable(given, source.variable), from: "environment" };
  const own = ownToken(method, url, caller);
  if (own !== undefined) return { token: own, from: "profile" };
  const token =
    isLoopbackUrl(url) && isMachineOwner(method, url, caller)
      ? readToken(source, caller)
      : undefined;
  return token === undefined ? undefined : { token, from: "data directory" };
}

/**
 * Returns the credential for a call. Throws a `CliError` that says what to do if the profile has
 * none: the call would be refused, and must not be somebody else's.
 */
export function requireProfileCredential(
  method: DescMethod,
  url: URL,
  caller: CliProfileContext,
): CliCredential | undefined {
  const credential = resolveCliCredential(method, url, caller);
  const source = credentialSource(method);
  const { profile, isNamed } = caller;
  if (credential !== undefined || source === undefined || profile === undefined) return credential;
  const isHere = findProfileOfServer(url, caller) !== undefined;
  if (source === operatorToken) {
    if (isNamed === true || isHere) throw noOperatorToken(profile, fileOf(source, caller));
  } else if (isHere) throw noCallerKey(profile, caller);
  else if (isNamed === true) throw otherServer(profile, url);
  return undefined;
}

function noCallerKey(profile: NamedProfile, { environment, isNamed }: CliProfileContext): CliError {
  const other =
    isNamed !== true
      ? `\nOr set CAUSEWAY_KEY to ${callerKey.meaning}.`
      : environment["CAUSEWAY_KEY"]
        ? "\nCAUSEWAY_KEY is not used, because the profile is named."
        : "";
  return new CliError(
    `The profile "${profile.name}" has no caller key, and a session is not accepted here.\n` +
      `Create one: ${suggestCreateKeyCommand(profile)}${other}`,
  );
}

function noOperatorToken({ name, email }: NamedProfile, file: string): CliError {
  return new CliError(
    `The profile "${name}" is of ${email}, who has no operator token.\n` +
      `Set CAUSEWAY_ADMIN_TOKEN to ${operatorToken.meaning}; on its own machine: ` +
      `export CAUSEWAY_ADMIN_TOKEN=$(cat ${quoteShellWordIfNeeded(file)})`,
  );
}

function otherServer({ name, url: own }: NamedProfile, url: URL): CliError {
  return new CliError(
    `The profile "${name}" is of ${own}, and this command goes to ${formatUrlWithoutTrailingSlash(url)}.\n` +
      `Go to the server of the profile: unset ${cliGatewayUrlConfig.variable}`,
  );
}

/** The session where the method takes one, else the key; a profile sends both to its own server alone. */
function ownToken(method: DescMethod, url: URL, caller: CliProfileContext): string | undefined {
  const profile = findProfileOfServer(url, caller);
  if (methodAcceptsCredential(method, "session")) return profile?.session;
  return methodAcceptsCredential(method, "key") ? profile?.key?.secret : undefined;
}

/**
 * Whether the data directory of this machine is the caller's: anybody's without a profile, else
 * its owner's at the server of the profile. Another port may be another user's. The tools have a
 * port of their own: their owner's profile is one of this machine.
 */
function isMachineOwner(method: DescMethod, url: URL, caller: CliProfileContext): boolean {
  const { profile } = caller;
  if (profile === undefined) return true;
  if (profile.email !== initialOwnerEmail) return false;
  if (findProfileOfServer(url, caller) !== undefined) return true;
  const own = URL.parse(profile.url);
  return (
    selectServiceUrlConfigByMethod(method) === cliToolsServiceUrlConfig &&
    own !== null &&
    isLoopbackUrl(own)
  );
}

function fileOf({ file }: CredentialSource, { environment }: CliProfileContext): string {
  return join(environment["CAUSEWAY_DATA_DIR"] || ".causeway", file);
}

/** Returns what a person types to give a profile a caller key. */
export function suggestCreateKeyCommand({ name }: NamedProfile): string {
  return `npx causeway profiles create-key --profile ${name}`;
}

/** The variable that may hold what a method needs, and what that is: `CAUSEWAY_KEY to a caller key`. */
export function describeCredentialVariable(method: DescMethod): string {
  const { variable, meaning } = credentialSource(method) ?? callerKey;
  return `${variable} to ${meaning}`;
}

/** The profile, if it is of this server: a session goes to no other. */
export function findProfileOfServer(
  url: URL,
  { profile }: CliProfileContext,
): NamedProfile | undefined {
  return profile?.url === formatUrlWithoutTrailingSlash(url) ? profile : undefined;
}

/** Whether a method takes a kind of credential. */
export function methodAcceptsCredential(method: DescMethod, kind: AcceptedCredentialKind): boolean {
  return readMethodPolicy(method).credentials.includes(kind);
}

function credentialSource(method: DescMethod): CredentialSource | undefined {
  if (methodAcceptsCredential(method, "operator")) return operatorToken;
  const takesKey = methodAcceptsCredential(method, "key");
  if (methodAcceptsCredential(method, "session")) return takesKey ? callerKeyOrSession : session;
  return takesKey ? callerKey : undefined;
}

/** Characters of a credential in a header; a line break would end it. */
const sendablePattern = /^[!-~]+$/;

/** Whether a header can carry a text as a credential. */
export function isHeaderSafeCredential(text: string): boolean {
  return sendablePattern.test(text);
}

const maxTokenBytes = 4096;

/** Returns a credential of the environment. Throws a `CliError` that does not quote it if no header can carry it. */
function sendable(token: string, variable: string): string {
  if (isHeaderSafeCredential(token)) return token;
  throw new CliError(
    `${variable} holds a character that no credential has, such as a line break or a space.`,
  );
}

/**
 * Reads a regular file with one credential. Returns undefined for any other: a folder may come
 * from a stranger, and a link in it may lead to another secret. The server says what is needed.
 * Throws a `CliError` for a file that another user may have planted.
 */
function readToken(source: CredentialSource, caller: CliProfileContext): string | undefined {
  const advice =
    `Set ${source.variable} to ${source.meaning}, or CAUSEWAY_DATA_DIR to the data directory ` +
    "of your own server.";
  const how = { maxBytes: maxTokenBytes, followsLink: false, advice };
  try {
    const text = readTrustedFile(fileOf(source, caller), how)?.trim();
    return text !== undefined && isHeaderSafeCredential(text) ? text : undefined;
  } catch (error) {
    if (error instanceof CliError) throw error;
    return undefined;
  }
}
