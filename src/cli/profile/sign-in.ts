import { create } from "@bufbuild/protobuf";
import {
  AccountService,
  FinishSignInRequestSchema,
  RevokeKeyRequestSchema,
  SignOutRequestSchema,
  StartSignInRequestSchema,
} from "../../../gen/ts/causeway/account/v1/account_pb.ts";
import { CreateKeyRequestSchema } from "../../../gen/ts/causeway/account/v1/key_pb.ts";
import {
  AdminService,
  CreateUserSessionRequestSchema,
  ListUsersRequestSchema,
} from "../../../gen/ts/causeway/admin/v1/admin_pb.ts";
import { CallError } from "../call-error.ts";
import { call } from "../call.ts";
import type { Caller } from "../caller.ts";
import { textIn } from "../text-in.ts";
import { ownerEmail, type NamedProfile, type Profile, type ProfileKey } from "./profile.ts";

/** A session, and whose it is. */
export type ProfileSession = Pick<Profile, "email" | "session">;

/** Has a one-time code mailed; whether the address may sign in is not told. */
export async function mailCode(email: string, caller: Caller): Promise<void> {
  const request = create(StartSignInRequestSchema, { email });
  await call(AccountService.method.startSignIn, request, caller);
}

/** Exchanges the mailed code for a session. */
export async function signInByCode(
  email: string,
  code: string,
  caller: Caller,
): Promise<ProfileSession> {
  const request = create(FinishSignInRequestSchema, { email, code });
  const answer = await call(AccountService.method.finishSignIn, request, caller);
  return { session: textIn(answer, "token"), email: textIn(answer["user"], "email") };
}

/** A session of whoever owns the machine, made with the operator token. */
export async function signInAsOwner(caller: Caller): Promise<ProfileSession> {
  const { listUsers, createUserSession } = AdminService.method;
  // The owner is made before anybody else, so that the first page has it.
  const users = await call(listUsers, create(ListUsersRequestSchema, { limit: 100 }), caller);
  const owner = [users["data"]].flat().find((user) => textIn(user, "email") === ownerEmail);
  if (owner === undefined) throw noOwner();
  const request = create(CreateUserSessionRequestSchema, { userId: textIn(owner, "id") });
  const answer = await call(createUserSession, request, caller);
  return { session: textIn(answer, "token"), email: ownerEmail };
}

/** Creates a caller key of the profile's user at its server. */
export async function createProfileKey(profile: NamedProfile): Promise<ProfileKey> {
  const request = create(CreateKeyRequestSchema, { name: `profile ${profile.name}` });
  const answer = await call(AccountService.method.createKey, request, callerWith(profile));
  return { id: textIn(answer["key"] ?? answer, "id"), secret: textIn(answer, "secret") };
}

/** Revokes the key of a profile, if it has one. */
export async function revokeProfileKey(profile: NamedProfile): Promise<void> {
  if (profile.key === undefined) return;
  const request = create(RevokeKeyRequestSchema, { id: profile.key.id });
  await call(AccountService.method.revokeKey, request, callerWith(profile));
}

/** What the environment says of other servers and credentials has no part in it. */
function callerWith(profile: NamedProfile): Caller {
  return { environment: {}, profile, isNamed: true };
}

/** Ends the session of a profile at its server; one that has ended already is no failure. */
export async function signOut(profile: NamedProfile): Promise<void> {
  try {
    await call(AccountService.method.signOut, create(SignOutRequestSchema), callerWith(profile));
  } catch (error) {
    if (!(error instanceof CallError) || error.code !== "unauthorized") throw error;
  }
}

function noOwner(): CallError {
  return new CallError(
    `The server has no user ${ownerEmail}, whom a first start makes where it has its own database.\n` +
      "Sign in by mail: npx causeway login --email <address>",
  );
}
