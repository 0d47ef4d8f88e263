import type { EntityManager } from "@mikro-orm/postgresql";
import type { AuditActor } from "../../domain/audit/audit.ts";
import type { Authenticator } from "../../account/authenticator.ts";
import { finishSignIn, type FinishSignInDependencies } from "../../account/finish-sign-in.ts";
import { assertSameOrigin } from "../../account/same-origin.ts";
import type { SignInCodeMailer } from "../../account/sign-in-starter.ts";
import { getUser } from "../../account/users.ts";
import type { Clock } from "../../platform/clock.ts";
import { toDatabaseUnavailableError } from "../../platform/database/database-unavailable.ts";
import { ApiError } from "../../platform/errors.ts";
import { anonymousPrincipal, type Principal } from "../../platform/principal.ts";
import { acceptInvite } from "../../team/accept-invite.ts";
import type { TeamDependencies } from "../../team/team-dependencies.ts";
import type { InviteWebPageContent } from "./invite-page.ts";

export interface InviteVisitDependencies extends FinishSignInDependencies {
  readonly authenticator: Pick<Authenticator, "authenticate">;
  readonly startSignIn: Pick<SignInCodeMailer, "start">;
  readonly teams: TeamDependencies;
  readonly clock: Clock;
  readonly publicUrl: () => string;
}

/** A request of a browser at an invite's link. */
export interface InviteLandingPageRequest {
  readonly code: string;
  /** As a browser sends them; only the session cookie is read as a credential. */
  readonly headers: Headers;
  readonly address: string;
  readonly requestId: string;
}

/** What to show, and the session that began with it. */
export interface InvitePageResult {
  readonly page: InviteWebPageContent;
  /** 200 if omitted. */
  readonly error?: ApiError | undefined;
  readonly token?: string | undefined;
}

type Fields = Readonly<Record<string, string>>;

/**
 * Somebody opens the link. The same is shown for every code: whether an invite
 * is there is told to the invited address alone, once it is signed in, and a
 * mail scanner that opens links changes nothing.
 */
export async function chooseInviteLandingPage(
  request: InviteLandingPageRequest,
  dependencies: InviteVisitDependencies,
): Promise<InvitePageResult> {
  const email = await signedInEmail(request, dependencies);
  return { page: email === undefined ? { kind: "address" } : { kind: "accept", email } };
}

/**
 * A form of the page came back: an address that wants a code, a code, or the wish
 * to accept with the session of the browser. A refusal shows the form again with
 * its message.
 */
export async function handleInviteForm(
  request: InviteLandingPageRequest,
  fields: Fields,
  dependencies: InviteVisitDependencies,
): Promise<InvitePageResult> {
  const email = fields["email"] ?? "";
  try {
    assertNotForged(request.headers, dependencies.publicUrl());
    if (fields["step"] === "accept") return await acceptWithCookie(request, dependencies);
    if (fields["step"] !== "code") return await sendCode(request, email, dependencies);
  } catch (error) {
    return refuse(error, { kind: "address", email: fields["step"] === "address" ? email : "" });
  }
  return signInAndAccept(request, email, fields["code"] ?? "", dependencies);
}

async function sendCode(
  request: InviteLandingPageRequest,
  email: string,
  { fork, startSignIn, clock }: InviteVisitDependencies,
): Promise<InvitePageResult> {
  await startSignIn.start(fork(), actorOf(request, anonymousPrincipal, clock), email);
  return { page: { kind: "code", email: email.trim() } };
}

async function signInAndAccept(
  request: InviteLandingPageRequest,
  email: string,
  code: string,
  dependencies: InviteVisitDependencies,
): Promise<InvitePageResult> {
  let token: string;
  try {
    const actor = actorOf(request, anonymousPrincipal, dependencies.clock);
    const signedIn = await finishSignIn(dependencies.fork(), actor, { email, code }, dependencies);
    token = signedIn.token;
  } catch (error) {
    return refuse(error, { kind: "code", email });
  }
  const headers = new Headers({ authorization: `Bearer ${token}` });
  const principal = await authenticate(headers, dependencies);
  return { ...(await accept(request, principal, dependencies)), token };
}

async function acceptWithCookie(
  request: InviteLandingPageRequest,
  dependencies: InviteVisitDependencies,
): Promise<InvitePageResult> {
  const cookie = cookieOf(request.headers);
  const principal = await authenticate(cookie, dependencies, "POST").catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== "unauthorized") throw error;
    throw new ApiError("unauthorized", "Your session has ended; sign in again.");
  });
  return accept(request, principal, dependencies);
}

async function accept(
  request: InviteLandingPageRequest,
  principal: Principal,
  { fork, teams, clock }: InviteVisitDependencies,
): Promise<InvitePageResult> {
  const em: EntityManager = fork();
  const email = await emailOf(em, principal);
  try {
    const actor = actorOf(request, principal, clock);
    const { team } = await acceptInvite(fork(), actor, request.code, {}, teams);
    return { page: { kind: "joined", email, teamName: team.name } };
  } catch (error) {
    return refuse(error, { kind: isFinal(error) ? "refused" : "accept", email });
  }
}

async function signedInEmail(
  { headers }: InviteLandingPageRequest,
  dependencies: InviteVisitDependencies,
): Promise<string | undefined> {
  const cookie = cookieOf(headers);
  if (!cookie.has("cookie")) return undefined;
  try {
    return await emailOf(dependencies.fork(), await authenticate(cookie, dependencies));
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return undefined;
    throw error;
  }
}

function authenticate(
  headers: Headers,
  { authenticator }: InviteVisitDependencies,
  httpMethod = "GET",
): Promise<Principal> {
  return authenticator.authenticate(headers, ["session"], undefined, httpMethod);
}

async function emailOf(em: EntityManager, principal: Principal): Promise<string> {
  if (principal.kind !== "session") return "";
  return (await getUser(em, principal.userId)).email;
}

/** What tells a browser's session and where the form comes from, and no other credential. */
function cookieOf(headers: Headers): Headers {
  const names = ["cookie", "origin", "sec-fetch-site", "host"];
  const entries = names.map((name): [string, string | null] => [name, headers.get(name)]);
  return new Headers(entries.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** A form that another site made a browser send: it would sign the visitor in as somebody else. */
function assertNotForged(headers: Headers, publicUrl: string): void {
  const saysWhence = headers.has("sec-fetch-site") || headers.has("origin");
  if (saysWhence) assertSameOrigin(headers, "POST", publicUrl);
}

function actorOf(
  { address, requestId }: InviteLandingPageRequest,
  principal: Principal,
  clock: Clock,
): AuditActor {
  return { principal, address, requestId, at: new Date(clock.now()) };
}

/** The invite is over, unknown or somebody else's: pressing the button again would not help. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && [403, 404, 409].includes(error.status);
}

type Form = Exclude<InviteWebPageContent, { readonly kind: "joined" }>;

function refuse(error: unknown, page: Form): InvitePageResult {
  const refusal = error instanceof ApiError ? error : toDatabaseUnavailableError(error);
  if (refusal === undefined) throw error;
  return { page: { ...page, problem: genericProblem(refusal) }, error: refusal };
}

/** Messages of the interface name fields in back quotes; a person sees a labelled input instead. */
function genericProblem({ param, message }: ApiError): string {
  if (param === "email") return "This is not an e-mail address. Correct it and try again.";
  return message.replaceAll("`", "");
}
