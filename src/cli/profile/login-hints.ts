import { AdminService } from "../../../gen/ts/causeway/admin/v1/admin_pb.ts";
import type { CliProfileContext } from "../cli-context.ts";
import { resolveCliCredential, findProfileOfServer } from "../credentials.ts";
import { CliError } from "../cli-error.ts";
import { quoteShellWordIfNeeded } from "../../platform/shell-word.ts";
import { initialOwnerEmail, defaultProfileName, type NamedProfile } from "./profile.ts";

/** What a person types to sign in at a server: as its machine's owner where that is possible. */
export function suggestLoginCommand(url: URL, caller: CliProfileContext): string {
  const known = findProfileOfServer(url, caller);
  const isOwner =
    canBeOwner(url, caller) && (known === undefined || known.email === initialOwnerEmail);
  const who = isOwner
    ? ""
    : ` --email ${known === undefined ? "<address>" : quoteShellWordIfNeeded(known.email)}`;
  return `npx causeway login${who}${profileWord(caller, known?.name)}`;
}

/** Whether the command line has a credential of the owner, in a data directory that it trusts. */
function canBeOwner(url: URL, caller: CliProfileContext): boolean {
  try {
    return resolveCliCredential(AdminService.method.createUserSession, url, caller) !== undefined;
  } catch (error) {
    if (error instanceof CliError) return false;
    throw error;
  }
}

/** The key of a profile that was replaced could not be revoked. */
export function previousKeyNotRevokedError(
  profile: NamedProfile,
  { message, code }: Pick<CliError, "message" | "code">,
): CliError {
  const { key, url } = profile;
  const id = key?.id ?? "";
  return new CliError(
    `The earlier key ${id} of ${url} could not be revoked: ${message.split("\n", 1)[0]}\n${formatRevokeKeyAdvice(profile, id)}`,
    code,
  );
}

/** Says how to revoke a key that no profile has any more. */
export function formatRevokeKeyAdvice({ email, url }: NamedProfile, id: string): string {
  return `Sign in as ${email} at ${url} and revoke it: npx causeway keys revoke ${id}`;
}

/** A profile of another server is not replaced: a new one needs a name. */
function profileWord({ profile }: CliProfileContext, known: string | undefined): string {
  const name = known ?? (profile === undefined ? defaultProfileName : "<name>");
  return name === defaultProfileName ? "" : ` --profile ${name}`;
}
