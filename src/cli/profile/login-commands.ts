import type { Command } from "commander";
import { CliError } from "../cli-error.ts";
import {
  resolveCliProfileContext,
  findExplicitProfileName,
  unknownProfileError,
  type CliProfileContext,
} from "../cli-context.ts";
import { formatCliResultAsText } from "../format-result.ts";
import { runAndReportCliError } from "../run-command.ts";
import { signInAndSaveSession, type LoginFlags } from "./login.ts";
import { previousKeyNotRevokedError, formatRevokeKeyAdvice } from "./login-hints.ts";
import type { NamedProfile } from "./profile.ts";
import { CliProfileStore } from "./profile-store.ts";
import {
  createProfileCallerKey,
  revokeProfileCredentials,
  revokeProfileCallerKey,
} from "./sign-in.ts";
import { formatTerminalSafeJson, writeToStderr, writeToStdout } from "../output.ts";

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
    await runAndReportCliError(() =>
      signInAndSaveSession(flags, findExplicitProfileName(command, process.env), process.env),
    );
  });
}

function addLogout(program: Command): void {
  const command = program
    .command("logout")
    .description("Revoke the profile's key, sign out and delete the profile")
    .option("--local", "delete the profile only; its session and key stay valid");
  command.action(async () => {
    const { local } = command.opts<{ local?: boolean }>();
    await runAndReportCliError(async () => {
      const caller = resolveCliProfileContext(command);
      return local === true ? forget(caller) : logout(caller);
    });
  });
}

/** Deletes the profile last: without its session nothing of it could be revoked. */
async function logout({ environment, profile }: CliProfileContext): Promise<void> {
  if (profile === undefined) throw nobodySignedIn();
  const { name, email, url } = profile;
  await revokeProfileCredentials(profile).catch((error: unknown) => {
    throw error instanceof CliError ? stillValid(profile, error) : error;
  });
  new CliProfileStore(environment).remove(name);
  writeToStdout(`${email} is signed out of ${url}; the profile "${name}" is gone.`);
}

function stillValid(profile: NamedProfile, { message, code }: CliError): CliError {
  const { name, url } = profile;
  return new CliError(
    `${message}\nThe profile "${name}" is kept: at ${url} ${partsOf(profile)} may still be valid.\n` +
      `Repeat the command later, or delete the profile alone: npx causeway logout --local --profile ${name}`,
    code,
  );
}

function partsOf({ key }: NamedProfile): string {
  return key === undefined ? "its session" : `its session and its key ${key.id}`;
}

function forget({ environment, profile }: CliProfileContext): void {
  if (profile === undefined) throw nobodySignedIn();
  const { name, url, key } = profile;
  new CliProfileStore(environment).remove(name);
  writeToStdout(`The profile "${name}" is gone; at ${url} ${partsOf(profile)} may still be valid.`);
  if (key !== undefined) writeToStderr(formatRevokeKeyAdvice(profile, key.id));
}

function nobodySignedIn(): CliError {
  return new CliError("Nobody has signed in; see npx causeway profiles list.");
}

function addProfiles(parent: Command): void {
  const list = parent
    .command("list")
    .description("the profiles, the current one marked; their sessions are not shown")
    .option("--json", "print the whole answer as JSON");
  list.action(async () => {
    await runAndReportCliError(async () =>
      listProfiles(list.opts<{ json?: boolean }>().json === true),
    );
  });
  const use = parent
    .command("use")
    .description("makes a profile the one that is used when none is named")
    .argument("<name>");
  use.action(async (name: string) => {
    await runAndReportCliError(async () => useProfile(name));
  });
  const createKey = parent
    .command("create-key")
    .description("Create a caller key for the profile and save it there");
  createKey.action(async () => {
    await runAndReportCliError(async () => addKey(resolveCliProfileContext(createKey)));
  });
}

function listProfiles(asJson: boolean): void {
  const { current, byName } = new CliProfileStore(process.env).read();
  const data = [...byName].map(([name, { url, toolsUrl, email, key }]) => ({
    name,
    current: name === current,
    email,
    url,
    tools_url: toolsUrl ?? null,
    key_id: key?.id ?? null,
  }));
  writeToStdout(asJson ? formatTerminalSafeJson({ data }) : formatCliResultAsText({ data }));
}

/** Creates the key before the earlier one is revoked, so that one always works. */
async function addKey({ environment, profile }: CliProfileContext): Promise<void> {
  if (profile === undefined) throw nobodySignedIn();
  const { name, ...before } = profile;
  const key = await createProfileCallerKey(profile);
  new CliProfileStore(environment).save(name, { ...before, key });
  writeToStdout(`The profile "${name}" calls models with the key ${key.id} of ${profile.email}.`);
  await revokeProfileCallerKey(profile).catch((error: unknown) => {
    throw error instanceof CliError ? previousKeyNotRevokedError(profile, error) : error;
  });
}

function useProfile(name: string): void {
  const store = new CliProfileStore(process.env);
  const profile = store.read().byName.get(name);
  if (profile === undefined) throw unknownProfileError(name, [...store.read().byName.keys()]);
  store.use(name);
  writeToStdout(`Commands now go to ${profile.url} as ${profile.email} (profile "${name}").`);
}
