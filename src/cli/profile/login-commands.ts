import type { Command } from "commander";
import { CallError } from "../call-error.ts";
import { callerOf, namedProfile, unknownProfile, type Caller } from "../caller.ts";
import { readable } from "../print.ts";
import { tell } from "../tell.ts";
import { login, type LoginFlags } from "./login.ts";
import type { NamedProfile } from "./profile.ts";
import { ProfileStore } from "./profile-store.ts";
import { createProfileKey, revokeProfileKey, signOut } from "./sign-in.ts";

const loginHelp = `
Without --email the owner of this machine's server signs in, by the operator token of its data
directory (CAUSEWAY_DATA_DIR, else ./.causeway); with it whoever gets mail there, at any server.
Examples:
  causeway login
  causeway login --url https://causeway.example --email ada@example.org --profile work`;

/** Adds `login`, `logout` and `profiles`, which keep sessions for the other commands. */
export function addLoginCommands(program: Command): void {
  addLogin(program);
  addLogout(program);
  addProfiles(program.command("profiles").description("the servers where somebody has signed in"));
}

function addLogin(program: Command): void {
  const command = program
    .command("login")
    .description("signs in, and keeps the session for the commands that need one")
    .option("--email <address>", "who signs in: a code is mailed to this address")
    .option("--code <code>", "the mailed code, if it is there already; asked for if omitted")
    .option("--url <address>", "the server (default: CAUSEWAY_URL, else that of the profile)")
    .option("--tools-url <address>", "its tools (default: CAUSEWAY_TOOLS_URL)")
    .addHelpText("after", loginHelp);
  command.action(async () => {
    const flags = command.opts<LoginFlags>();
    if (flags.code !== undefined && flags.email === undefined) {
      return command.error("error: --code needs --email: the address that it was mailed to");
    }
    await tell(() => login(flags, namedProfile(command, process.env), process.env));
  });
}

function addLogout(program: Command): void {
  const command = program
    .command("logout")
    .description("ends the session of the profile, and forgets both");
  command.action(async () => {
    await tell(async () => logout(callerOf(command)));
  });
}

async function logout({ environment, profile }: Caller): Promise<void> {
  if (profile === undefined) throw nobodySignedIn();
  const { name, email, url } = profile;
  new ProfileStore(environment).remove(name);
  try {
    await revokeKeyOf(profile);
    await signOut(profile);
    console.log(`${email} is signed out of ${url}; the profile "${name}" is gone.`);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    console.log(`The profile "${name}" is gone, but its session at ${url} could not be ended:`);
    throw error;
  }
}

/** Only a session can revoke a key; one that has ended leaves it to the next one. */
async function revokeKeyOf(profile: NamedProfile): Promise<void> {
  try {
    await revokeProfileKey(profile);
  } catch (error) {
    if (!(error instanceof CallError) || error.code !== "unauthorized") throw error;
    const id = profile.key?.id ?? "";
    console.error(
      `The session has ended already, and the key of the profile still works. ` +
        `Sign in and revoke it: npx causeway keys revoke ${id}`,
    );
  }
}

function nobodySignedIn(): CallError {
  return new CallError("Nobody has signed in; see npx causeway profiles list.");
}

function addProfiles(parent: Command): void {
  const list = parent
    .command("list")
    .description("the profiles, the current one marked; their sessions are not shown")
    .option("--json", "print the whole answer as JSON");
  list.action(async () => {
    await tell(async () => listProfiles(list.opts<{ json?: boolean }>().json === true));
  });
  const use = parent
    .command("use")
    .description("makes a profile the one that is used when none is named")
    .argument("<name>");
  use.action(async (name: string) => {
    await tell(async () => useProfile(name));
  });
  const createKey = parent
    .command("create-key")
    .description("Create a caller key for the profile and save it there");
  createKey.action(async () => {
    await tell(async () => addKey(callerOf(createKey)));
  });
}

function listProfiles(asJson: boolean): void {
  const { current, byName } = new ProfileStore(process.env).read();
  const data = [...byName].map(([name, { url, toolsUrl, email, key }]) => ({
    name,
    current: name === current,
    email,
    url,
    tools_url: toolsUrl ?? null,
    key_id: key?.id ?? null,
  }));
  console.log(asJson ? JSON.stringify({ data }, undefined, 2) : readable({ data }));
}

/** Creates the key before the earlier one is revoked, so that one always works. */
async function addKey({ environment, profile }: Caller): Promise<void> {
  if (profile === undefined) throw nobodySignedIn();
  const { name, ...before } = profile;
  const key = await createProfileKey(profile);
  new ProfileStore(environment).save(name, { ...before, key });
  await revokeProfileKey(profile);
  console.log(`The profile "${name}" calls models with the key ${key.id} of ${profile.email}.`);
}

function useProfile(name: string): void {
  const store = new ProfileStore(process.env);
  const profile = store.read().byName.get(name);
  if (profile === undefined) throw unknownProfile(name, [...store.read().byName.keys()]);
  store.use(name);
  console.log(`Commands now go to ${profile.url} as ${profile.email} (profile "${name}").`);
}
