import type { DescMethod } from "@bufbuild/protobuf";
import { CliError } from "./cli-error.ts";
import type { CliProfileContext } from "./cli-context.ts";
import {
  suggestCreateKeyCommand,
  findProfileOfServer,
  methodAcceptsCredential,
  describeCredentialVariable,
  type CliCredential,
} from "./credentials.ts";
import { suggestLoginCommand } from "./profile/login-hints.ts";

/** A call that the server refused, and what it was called with. */
export interface RejectedCliRequest {
  readonly method: DescMethod;
  readonly url: URL;
  readonly caller: CliProfileContext;
  readonly credential: CliCredential | undefined;
}

/** The error, with what to do where it is about the credential. */
export function addCredentialHint(error: CliError, call: RejectedCliRequest): CliError {
  const hint = credentialHint(error.code, call);
  return hint === undefined ? error : new CliError(`${error.message}\n${hint}`, error.code);
}

/** What to do about a credential that the server did not take; undefined for any other refusal. */
function credentialHint(code: string | undefined, call: RejectedCliRequest): string | undefined {
  if (code === "unauthorized") return hintOfNone(call);
  return code === "insufficient_scope" ? hintOfKey(call) : undefined;
}

/** The credential is none, or none any more. */
function hintOfNone({ method, url, caller, credential }: RejectedCliRequest): string {
  const toSet = describeCredentialVariable(method);
  const profile = findProfileOfServer(url, caller);
  if (!methodAcceptsCredential(method, "session")) {
    return credential?.from === "profile" && profile !== undefined
      ? `The caller key of the profile is refused. Create another: ${suggestCreateKeyCommand(profile)}`
      : `Set ${toSet}.`;
  }
  const login = suggestLoginCommand(url, caller);
  switch (credential?.from) {
    case "profile":
      return `The session of the profile has ended. Sign in again: ${login}`;
    case "environment":
      return `Set ${toSet}.\nOr unset it and sign in: ${login}`;
    default:
      return `Sign in: ${login}\nOr set ${toSet}.`;
  }
}

/** A caller key where only a person may. */
function hintOfKey({ method, url, caller, credential }: RejectedCliRequest): string | undefined {
  const isForPeople =
    methodAcceptsCredential(method, "session") && !methodAcceptsCredential(method, "key");
  if (!isForPeople || credential?.token.startsWith("cwk_") !== true) return undefined;
  const login = suggestLoginCommand(url, caller);
  if (credential.from === "data directory") return `Sign in, then try again: ${login}`;
  const inTheWay = "CAUSEWAY_KEY holds a caller key, which is used before any session: unset it";
  const hasSession = findProfileOfServer(url, caller) !== undefined;
  return hasSession ? `${inTheWay}.` : `${inTheWay} and sign in: ${login}`;
}
