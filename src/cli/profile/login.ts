import { AdminService } from "../../../gen/ts/causeway/admin/v1/admin_pb.ts";
import { CallError } from "../call-error.ts";
import type { Caller } from "../caller.ts";
import { credentialFor } from "../credentials.ts";
import { gateway, plainAddress, serverUrl, tools } from "../server-url.ts";
import { askLine } from "./ask-line.ts";
import {
  ownerEmail,
  profileNameForm,
  usualProfile,
  type NamedProfile,
  type Profile,
} from "./profile.ts";
import { ProfileStore } from "./profile-store.ts";
import { mailCode, signInAsOwner, signInByCode, type ProfileSession } from "./sign-in.ts";

/** What the command line says of a login. */
export interface LoginFlags {
  readonly email?: string;
  readonly code?: string;
  readonly url?: string;
  readonly toolsUrl?: string;
}

/**
 * Signs in and keeps the session in a profile: the named one, else the current
 * one. Nothing secret is printed. Rejects with a `CallError`.
 */
export async function login(
  flags: LoginFlags,
  named: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const store = new ProfileStore(environment);
  const { current, byName } = store.read();
  const name = named ?? current ?? usualProfile;
  const before = byName.get(name);
  const caller = callerWith(flags, environment, before && { name, ...before });
  const addresses = addressesOf(caller);
  assertUsable(name, before, addresses.url);
  store.prepare();
  const signedIn = await signIn(flags, caller);
  const key = before?.email === signedIn.email ? before.key : undefined;
  store.save(name, { ...addresses, ...signedIn, ...(key && { key }) });
  const { email } = signedIn;
  console.log(`Signed in as ${email} at ${addresses.url} (profile "${name}" of ${store.path}).`);
  for (const line of furtherSteps(name, current ?? name, environment)) console.error(line);
}

/** A flag is a variable that is set for this command. */
function callerWith(
  { url, toolsUrl }: LoginFlags,
  environment: NodeJS.ProcessEnv,
  profile: NamedProfile | undefined,
): Caller {
  const flags = {
    ...(url !== undefined && { [gateway.variable]: url }),
    ...(toolsUrl !== undefined && { [tools.variable]: toolsUrl }),
  };
  return { environment: { ...environment, ...flags }, profile };
}

/** The tools are kept only where somebody has said where they are. */
function addressesOf(caller: Caller): Pick<Profile, "url" | "toolsUrl"> {
  const url = plainAddress(serverUrl(gateway, caller));
  const isSaid = caller.environment[tools.variable] || caller.profile?.toolsUrl;
  return isSaid ? { url, toolsUrl: plainAddress(serverUrl(tools, caller)) } : { url };
}

function assertUsable(name: string, before: Profile | undefined, url: string): void {
  if (!profileNameForm.test(name)) {
    throw new CallError(
      `"${name}" cannot name a profile: take up to 63 letters, digits, ".", "_" and "-", a letter or digit first.`,
    );
  }
  if (before === undefined || before.url === url) return;
  throw new CallError(
    `The profile "${name}" is of ${before.url}, not of ${url}.\n` +
      "Name another one with --profile <name>, or end it with `npx causeway logout`.",
  );
}

function signIn({ email, code }: LoginFlags, caller: Caller): Promise<ProfileSession> {
  if (email !== undefined) return signInByMail(email, code, caller);
  const url = serverUrl(gateway, caller);
  const { profile } = caller;
  if (profile !== undefined && profile.email !== ownerEmail) {
    return Promise.reject(otherPerson(profile));
  }
  const operator = credentialFor(AdminService.method.createUserSession, url, caller);
  return operator === undefined ? Promise.reject(nobodyNamed(url)) : signInAsOwner(caller);
}

async function signInByMail(
  email: string,
  code: string | undefined,
  caller: Caller,
): Promise<ProfileSession> {
  if (code !== undefined) return signInByCode(email, code, caller);
  await mailCode(email, caller);
  console.error(`If ${email} may sign in, a message with a code is on its way.`);
  const typed = await askLine("Code: ");
  if (typed !== undefined) return signInByCode(email, typed, caller);
  throw new CallError(
    "\nNo code was given. Repeat the command with --code <code>, the one of the message.",
  );
}

/** Without an address the machine's owner would take the profile over. */
function otherPerson({ name, email }: NamedProfile): CallError {
  return new CallError(
    `The profile "${name}" is of ${email}. Sign in again: ` +
      `npx causeway login --email ${email} --profile ${name}\n` +
      "Or as the owner of this machine's server, in another profile: " +
      "npx causeway login --profile <name>",
  );
}

function nobodyNamed({ origin }: URL): CallError {
  return new CallError(
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
