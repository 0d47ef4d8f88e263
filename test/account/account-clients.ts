import {
  createClient,
  createRouterTransport,
  type Client,
  type Interceptor,
} from "@connectrpc/connect";
import { ErrorInfoSchema, type ErrorInfo } from "../../gen/ts/causeway/error/v1/error_pb.ts";
import { AccountService } from "../../gen/ts/causeway/account/v1/account_pb.ts";
import { AdminService } from "../../gen/ts/causeway/admin/v1/admin_pb.ts";
import { ConnectError } from "@connectrpc/connect";
import { createAccountRpc } from "../../src/account/account.rpc.ts";
import { createAdminRpc } from "../../src/account/admin.rpc.ts";
import { UnknownCredentialRateLimiter } from "../../src/account/unknown-credential-limiter.ts";
import { emptyTeamMembershipLookup } from "../../src/account/team-membership.ts";
import type { Principal } from "../../src/platform/principal.ts";
import {
  entityManagerKey,
  principalKey,
  requestContextKey,
} from "../../src/platform/request-context.ts";
import { BackgroundTasks } from "../../src/platform/background-tasks.ts";
import {
  createErrorsInterceptor,
  createToConnectErrorTranslator,
} from "../../src/transport/interceptors/errors.ts";
import {
  createValidationInterceptor,
  RequestValidator,
} from "../../src/transport/interceptors/validate.ts";
import { silentLog, type AccountFixture } from "./account-fixture.ts";

export interface AccountClients {
  readonly account: Client<typeof AccountService>;
  readonly admin: Client<typeof AdminService>;
}

/** Compiling the rules of a message takes long: once for all clients. */
const validator = new RequestValidator();

function publicUrl(): string {
  return "https://gateway.example.org";
}

function docUrl(code: string): string {
  return `${publicUrl()}/docs/errors#${code}`;
}

/**
 * Clients of both services in this process, for a caller that the gate has let
 * in: the rules of the contract, the errors and the handlers are the real ones.
 */
export function clientsFor(fixture: AccountFixture, principal: Principal): AccountClients {
  const { hasher, clock, fork } = fixture;
  const background = new BackgroundTasks(silentLog);
  const lookUps = new UnknownCredentialRateLimiter(clock);
  const startSignIn = { start: () => Promise.resolve() };
  const spending = { spendOf: () => Promise.resolve(new Map()) };
  const shared = { hasher, clock, teams: emptyTeamMembershipLookup, keySpend: spending };
  const transport = createRouterTransport(
    ({ service }) => {
      service(
        AccountService,
        createAccountRpc({
          ...shared,
          fork,
          background,
          startSignIn,
          unknownCredentials: lookUps,
          publicUrl,
        }),
      );
      service(AdminService, createAdminRpc(shared));
    },
    { router: { interceptors: interceptorsFor(fixture, principal) } },
  );
  return {
    account: createClient(AccountService, transport),
    admin: createClient(AdminService, transport),
  };
}

function interceptorsFor(fixture: AccountFixture, principal: Principal): Interceptor[] {
  const setContext: Interceptor = (next) => (request) => {
    request.contextValues.set(principalKey, principal);
    request.contextValues.set(entityManagerKey, fixture.fork());
    const context = { requestId: "req_rpc", address: "192.0.2.9", log: silentLog };
    request.contextValues.set(requestContextKey, context);
    return next(request);
  };
  const translate = createToConnectErrorTranslator({ docUrl, translate: () => undefined });
  return [setContext, createErrorsInterceptor(translate), createValidationInterceptor(validator)];
}

/** What the refusal of a call says. */
export async function refusalOf(call: Promise<unknown>): Promise<ErrorInfo> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => ConnectError.from(reason),
  );
  const [info] = error?.findDetails(ErrorInfoSchema) ?? [];
  if (info === undefined)
    throw new Error("the call was not refused with an ErrorInfo", { cause: error });
  return info;
}
