import { create, type JsonObject } from "@bufbuild/protobuf";
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
import { CliError } from "../cli-error.ts";
import { invokeServerRpc } from "../invoke-method.ts";
import type { CliProfileContext } from "../cli-context.ts";
import { isHeaderSafeCredential } from "../credentials.ts";
import { readStringMemberOrEmpty } from "../read-string-member.ts";
import {
  initialOwnerEmail,
  type NamedProfile,
  type CliProfile,
  type ProfileCallerKey,
} from "./profile.ts";

/** A session, and whose it is. */
export type SessionWithEmail = Pick<CliProfile, "email" | "session">;

/** Has a one-time code mailed; whether the address may sign in is not told. */
export async function requestSignInCode(email: string, caller: CliProfileContext): Promise<void> {
  const request = create(StartSignInRequestSchema, { email });
  await invokeServerRpc(AccountService.method.startSignIn, request, caller);
}

/** Exchanges the mailed code for a session. */
export async function signInWithMailedCode(
  email: string,
  code: string,
  caller: CliProfileContext,
): Promise<SessionWithEmail> {
  const request = create(FinishSignInRequestSchema, { email, code });
  const answer = await invokeServerRpc(AccountService.method.finishSignIn, request, caller);
  return sessionOf(answer, readStringMemberOrEmpty(answer["user"], "email"));
}

/** A session of whoever owns the machine, made with the operator token. */
export async function createOwnerSessionWithOperatorToken(
  caller: CliProfileContext,
): Promise<SessionWithEmail> {
  const { listUsers, createUserSession } = AdminService.method;
  // The owner is made before anybody else, so that the first page has it.
  const users = await invokeServerRpc(
    listUsers,
    create(ListUsersRequestSchema, { limit: 100 }),
    caller,
  );
  const owner = [users["data"]]
    .flat()
    .find((user) => readStringMemberOrEmpty(user, "email") === initialOwnerEmail);
  if (owner === undefined) throw noOwner();
  const request = create(CreateUserSessionRequestSchema, {
    userId: readStringMemberOrEmpty(owner, "id"),
  });
  const answer = await invokeServerRpc(createUserSession, request, caller);
  return sessionOf(answer, initialOwnerEmail);
}

/** Text that stands in messages and in commands to paste. */
const emailPattern = /^[^\s\p{Cc}\p{Cf},;:<>()[\]\\"]{1,320}$/u;
const keyIdPattern = /^[\w-]{1,64}$/;

/** What a server says becomes a header and a part of commands: anything else is not stored. */
function sessionOf(answer: JsonObject, email: string): SessionWithEmail {
  const session = readStringMemberOrEmpty(answer, "token");
  if (isHeaderSafeCredential(session) && emailPattern.test(email)) return { session, email };
  throw unusableAnswer("session token (cws_…) and an email address");
}

function unusableAnswer(expected: string): CliError {
  return new CliError(
    `The server answered without a usable ${expected}. Check with CAUSEWAY_URL that it is a Causeway server.`,
  );
}

/** Creates a caller key of the profile's user at its server. */
export async function createProfileCallerKey(profile: NamedProfile): Promise<ProfileCallerKey> {
  const request = create(CreateKeyRequestSchema, { name: `profile ${profile.name}` });
  const answer = await invokeServerRpc(
    AccountService.method.createKey,
    request,
    callerWith(profile),
  );
  const key = {
    id: readStringMemberOrEmpty(answer["key"] ?? answer, "id"),
    secret: readStringMemberOrEmpty(answer, "secret"),
  };
  if (keyIdPattern.test(key.id) && isHeaderSafeCredential(key.secret)) return key;
  throw unusableAnswer("caller key (cwk_…) and its id");
}

/** Revokes the key of a profile, if it has one; a key that the server does not know is no failure. */
export async function revokeProfileCallerKey(profile: NamedProfile): Promise<void> {
  if (profile.key === undefined) return;
  const request = create(RevokeKeyRequestSchema, { id: profile.key.id });
  try {
    await invokeServerRpc(AccountService.method.revokeKey, request, callerWith(profile));
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== "not_found") throw error;
  }
}

/** What the environment says of other servers and credentials has no part in it. */
function callerWith(profile: NamedProfile): CliProfileContext {
  return { environment: {}, profile, isNamed: true };
}

/** Ends the session of a profile at its server; one that has ended already is no failure. */
async function signOut(profile: NamedProfile): Promise<void> {
  try {
    await invokeServerRpc(
      AccountService.method.signOut,
      create(SignOutRequestSchema),
      callerWith(profile),
    );
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== "unauthorized") throw error;
  }
}

/** Revokes the key of a profile, then ends its session. Rejects with a `CliError` where one still works. */
export async function revokeProfileCredentials(profile: NamedProfile): Promise<void> {
  await revokeProfileCallerKey(profile);
  await signOut(profile);
}

function noOwner(): CliError {
  return new CliError(
    `The server has no user ${initialOwnerEmail}, whom a first start makes where it has its own database.\n` +
      "Sign in by mail: npx causeway login --email <address>",
  );
}
