import type { Command } from "commander";
import { CliError } from "./cli-error.ts";
import { defaultProfileName, type NamedProfile } from "./profile/profile.ts";
import { CliProfileStore } from "./profile/profile-store.ts";

/** Who calls. */
export interface CliProfileContext {
  readonly environment: NodeJS.ProcessEnv;
  /** Undefined: nobody has signed in. */
  readonly profile: NamedProfile | undefined;
  /**
   * Whether the command line or `CAUSEWAY_PROFILE` names the profile, so that a key of the
   * environment is not used. Over the current profile such a key wins.
   */
  readonly isNamed?: boolean;
}

/**
 * The caller of a command: with the profile that `--profile` or `CAUSEWAY_PROFILE`
 * names, else with the current one. Throws a `CliError` for one that is not there.
 */
export function resolveCliProfileContext(command: Command): CliProfileContext {
  const environment = process.env;
  const { current, byName } = new CliProfileStore(environment).read();
  const named = findExplicitProfileName(command, environment);
  const name = named ?? current ?? defaultProfileName;
  const profile = byName.get(name);
  if (profile !== undefined) {
    return { environment, profile: { name, ...profile }, isNamed: named !== undefined };
  }
  if (named === undefined) return { environment, profile: undefined };
  throw unknownProfileError(named, [...byName.keys()]);
}

/** What the command line names, else the environment; undefined: the current one is meant. */
export function findExplicitProfileName(
  command: Command,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  const { profile } = command.optsWithGlobals<{ profile?: string }>();
  return profile ?? (environment["CAUSEWAY_PROFILE"] || undefined);
}

/** A profile that nobody has made, and what to do. */
export function unknownProfileError(name: string, others: readonly string[]): CliError {
  const known = others.length === 0 ? "there is none yet" : `there are ${others.join(", ")}`;
  return new CliError(
    `There is no profile "${name}"; ${known}.\n` +
      `Make it with \`npx causeway login --profile ${name}\`.`,
  );
}
