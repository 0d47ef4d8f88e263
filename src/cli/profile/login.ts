import { AdminService } from "../../../gen/ts/causeway/admin/v1/admin_pb.ts";
import { CliError } from "../cli-error.ts";
import type { CliProfileContext } from "../cli-context.ts";
import { resolveCliCredential } from "../credentials.ts";
import {
  cliGatewayUrlConfig,
  formatUrlWithoutTrailingSlash,
  resolveCliServiceUrl,
  cliToolsServiceUrlConfig,
} from "../server-url.ts";
import { quoteShellWordIfNeeded } from "../../platform/shell-word.ts";
import { promptForLine } from "./ask-line.ts";
import { previousKeyNotRevokedError } from "./login-hints.ts";
import {
  initialOwnerEmail,
  profileNamePattern,
  defaultProfileName,
  type NamedProfile,
  type CliProfile,
} from "./profile.ts";
import { CliProfileStore } from "./profile-store.ts";
import {
  revokeProfileCredentials,
  requestSignInCode,
  createOwnerSessionWithOperatorToken,
  signInWithMailedCode,
  type SessionWithEmail,
} from "./sign-in.ts";
import { writeToStderr, writeToStdout } from "../output.ts";

/** What the command line says of a login. */
export interface LoginFlags {
  readonly email?: string;
  readonly code?: string;
  readonly url?: string;
  readonly toolsUrl?: string;
}

/**
 * Signs in and keeps the session in a profile: the named one, else the current
 * one. Nothing secret is printed. Rejects with a `CliError`.
 */
export async function signInAndSaveSession(
  flags: LoginFlags,
  named: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const store = new CliProfileStore(environment);
  const { current, byName } = store.read();
  const name = named ?? current ?? defaultProfileName;
  const before = byName.get(name);
  const caller = callerWith(flags, environment, before && { name, ...before });
  const addresses = addressesOf(caller);
  assertUsable(name, before, addresses.url);
  store.prepare();
  const signedIn = await signIn(flags, caller);
  const isSameUser = before?.email === signedIn.email;
  const key = isSameUser ? before.key : undefined;
  store.save(name, { ...addresses, ...signedIn, ...(key && { key }) });
  const { email } = signedIn;
  writeToStdout(`Signed in as ${email} at ${addresses.url} (profile "${name}" of ${store.path}).`);
  if (before !== undefined) await endEarlier({ name, ...before }, isSameUser);
  for (const line of furtherSteps(name, current ?? name, environment)) writeToStderr(line);
}

/**
 * Ends the session that was replaced, and revokes the key that the new session does not keep.
 * The new session works already, so a failure only prints a message.
 */
async function endEarlier(earlier: NamedProfile, keepsKey: boolean): Promise<void> {
  const { key, ...keyless } = earlier;
  const isRevoked = key !== undefined && !keepsKey;
  try {
    await revokeProfileCredentials(isRevoked ? earlier : keyless);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const told = isRevoked
      ? previousKeyNotRevokedError(earlier, error)
      : sessionStillValid(earlier, error);
    writeToStderr(told.message);
  }
}

function sessionStillValid({ email, url }: NamedProfile, { message }: CliError): CliError {
  return new CliError(
    `The earlier session of ${email} at ${url} could not be ended: ${message.split("\n", 1)[0]}`,
  );
}

/** A flag is a variable that is set for this command. */
function callerWith(
  { url, toolsUrl }: LoginFlags,
  environment: NodeJS.ProcessEnv,
  profile: NamedProfile | undefined,
): CliProfileContext {
  const flags = {
    ...(url !== undefined && { [cliGatewayUrlConfig.variable]: url }),
    ...(toolsUrl !== undefined && { [cliToolsServiceUrlConfig.variable]: toolsUrl }),
  };
  return { environment: { ...environment, ...flags }, profile };
}

/** The tools are kept only where somebody has said where they are. */
function addressesOf(caller: CliProfileContext): Pick<CliProfile, "url" | "toolsUrl"> {
  const url = formatUrlWithoutTrailingSlash(resolveCliServiceUrl(cliGatewayUrlConfig, caller));
  const isSaid = caller.environment[cliToolsServiceUrlConfig.variable] || caller.profile?.toolsUrl;
  return isSaid
    ? {
        url,
        toolsUrl: formatUrlWithoutTrailingSlash(
          resolveCliServiceUrl(cliToolsServiceUrlConfig, caller),
        ),
      }
    : { url };
}

function assertUsable(name: string, before: CliProfile | undefined, url: string): void {
  if (!profileNamePattern.test(name)) {
    throw new CliError(
      `"${name}" cannot name a profile: take up to 63 letters, digits, ".", "_" and "-", a letter or digit first.`,
    );
  }
  if (before === undefined || before.url === url) return;
  throw new CliError(
    `The profile "${name}" is of ${before.url}, not of ${url}.\n` +
      "Name another one with --profile <name>, or end it with `npx causeway logout`.",
  );
}

function signIn({ email, code }: LoginFlags, caller: CliProfileContext): Promise<SessionWithEmail> {
  if (email !== undefined) return signInByMail(email, code, caller);
  const url = resolveCliServiceUrl(cliGatewayUrlConfig, caller);
  const { profile } = caller;
  if (profile !== undefined && profile.email !== initialOwnerEmail) {
    return Promise.reject(otherPerson(profile));
  }
  const operator = resolveCliCredential(AdminService.method.createUserSession, url, caller);
  return operator === undefined
    ? Promise.reject(nobodyNamed(url))
    : createOwnerSessionWithOperatorToken(caller);
}

async function signInByMail(
  email: string,
  code: string | undefined,
  caller: CliProfileContext,
): Promise<SessionWithEmail> {
  if (code !== undefined) return signInWithMailedCode(email, code, caller);
  await requestSignInCode(email, caller);
  writeToStderr(`If ${email} may sign in, a message with a code is on its way.`);
  const typed = await promptForLine("Code: ");
  if (typed !== undefined) return signInWithMailedCode(email, typed, caller);
  throw new CliError(
    "\nNo code was given. Repeat the command with --code <code>, the one of the message.",
  );
}

/** Without an address the machine's owner would take the profile over. */
function otherPerson({ name, email }: NamedProfile): CliError {
  return new CliError(
    `The profile "${name}" is of ${email}. Sign in again: ` +
      `npx causeway login --email ${quoteShellWordIfNeeded(email)} --profile ${name}\n` +
      "Or as the owner of this machine's server, in another profile: " +
      "npx causeway login --profile <name>",
  );
}

function nobodyNamed({ origin }: URL): CliError {
  return new CliError(
    "Say who signs in: npx causeway login --email <address>\n" +
      "Only the owner of this machine's server needs no address, and for " +
      `${origin} no operator token is at hand (CAUSEWAY_DATA_DIR, else ./.causeway).`,
  );
}

/** What stands between the new session and the next command. */
function furtherSteps(name: string, current: string, environment: NodeJS.ProcessEnv): string[] {
  const named = environment["CAUSEWAY_PROFILE"] || current;
  return [
    ...(named === name
      ? []
      : [`Use it with --profile ${name}, or always: npx causeway profiles use ${name}`]),
    ...(environment["CAUSEWAY_KEY"]
      ? ["CAUSEWAY_KEY is set and is used before this session: unset it."]
      : []),
  ];
}
