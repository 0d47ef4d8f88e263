import { AdminService } from "../../../gen/ts/causeway/admin/v1/admin_pb.ts";
import type { Caller } from "../caller.ts";
import { credentialFor, profileOf } from "../credentials.ts";
import { ownerEmail, usualProfile } from "./profile.ts";

/** What a person types to sign in at a server: as its machine's owner where that is possible. */
export function loginCommand(url: URL, caller: Caller): string {
  const known = profileOf(url, caller);
  const canBeOwner =
    credentialFor(AdminService.method.createUserSession, url, caller) !== undefined;
  const isOwner = canBeOwner && (known === undefined || known.email === ownerEmail);
  const who = isOwner ? "" : ` --email ${known?.email ?? "<address>"}`;
  return `npx causeway login${who}${profileWord(caller, known?.name)}`;
}

/** A profile of another server is not replaced: a new one needs a name. */
function profileWord({ profile }: Caller, known: string | undefined): string {
  const name = known ?? (profile === undefined ? usualProfile : "<name>");
  return name === usualProfile ? "" : ` --profile ${name}`;
}
