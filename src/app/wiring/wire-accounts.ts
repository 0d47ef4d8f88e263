import { eraseWallet, spentByKeys } from "../../wallet/wallets.ts";
import { eraseAliases } from "../../alias/aliases.ts";
import { eraseCalls } from "../../call-log/erase-calls.ts";
import { createAccountRpc, type AccountRpcDependencies } from "../../account/account.rpc.ts";
import { createAdminRpc } from "../../account/admin.rpc.ts";
import { CredentialWatch } from "../../account/credential-watch.ts";
import { Authenticator } from "../../account/authenticator.ts";
import { deleteExpired } from "../../account/housekeeping.ts";
import { IdempotencyStore } from "../../account/idempotency-store.ts";
import type { KeySpending } from "../../account/key-spending.ts";
import { KeyDirectory } from "../../account/key-directory.ts";
import { OpenStreams } from "../../account/open-streams.ts";
import { LookUpBudget } from "../../account/look-up-budget.ts";
import { noteKeyUse } from "../../account/keys.ts";
import { noteSessionUse } from "../../account/sessions.ts";
import { StartSignIn } from "../../account/start-sign-in.ts";
import { loadTokenHasher, type TokenHasher } from "../../account/token-hasher.ts";
import type { TeamMembership } from "../../account/team-membership.ts";
import { UseLog } from "../../account/use-log.ts";
import { AccountService } from "../../../gen/ts/causeway/account/v1/account_pb.ts";
import { AdminService } from "../../../gen/ts/causeway/admin/v1/admin_pb.ts";
import { BackgroundTasks } from "../../platform/background-tasks.ts";
import { admittedCallers } from "../../platform/repeat-checks.ts";
import type { MailQueue } from "../../platform/mail/mail-queue.ts";
import { memberItems } from "../../team/item/member-items.ts";
import { createTeamMemberships } from "../../team/team-memberships.ts";
import { mountedService, type MountedService } from "../../transport/mounted-service.ts";
import {
  deleteExpiredResponses,
  eraseKeptResponses,
} from "../../gateway/response/kept-response-store.ts";
import { deleteExpiredThreads, eraseThreads } from "../../agent/thread/expired-threads.ts";
import { deleteExpiredTurns, eraseTurns } from "../../turn/turn-store.ts";
import { eraseTurnsOf } from "../../turn/turns-of-threads.ts";
import { eraseItems } from "../../team/item/items.ts";
import { eraseUpstreams } from "../../upstream/upstreams.ts";
import { eraseVendorCredentials } from "../../vendor/vendor-links.ts";
import type { Foundation } from "../foundation.ts";
import { openMailQueue } from "../open-mail-queue.ts";

export interface AccountWiring extends AccountTasks {
  readonly services: readonly MountedService[];
  readonly authenticator: Authenticator;
  readonly credentials: CredentialWatch;
  readonly openStreams: OpenStreams;
  readonly idempotencyStore: IdempotencyStore;
  readonly hasher: TokenHasher;
  readonly keys: KeyDirectory;
  readonly mail: MailQueue;
  readonly startSignIn: StartSignIn;
  readonly lookUps: LookUpBudget;
  readonly background: BackgroundTasks;
  readonly teams: TeamMembership;
}

/** What accounts do beside answering calls. */
interface AccountTasks {
  /** Starts what runs now and then. */
  start(): void;
  /** Writes what is pending and waits for what runs. */
  close(): Promise<void>;
}

/** Domains that keep rows of an account, which go when its user or team is deleted. */
export const erase = [
  eraseUpstreams,
  eraseVendorCredentials,
  eraseItems,
  eraseKeptResponses,
  eraseTurns,
  eraseThreads,
  eraseAliases,
  eraseCalls,
  eraseWallet,
];

const housekeepingMs = 10 * 60_000;

/**
 * Builds the account domain: credentials, sign-in, mail and the two services.
 * `publicUrl` is where browsers reach the gateway.
 */
export async function wireAccounts(
  foundation: Foundation,
  publicUrl: () => string,
): Promise<AccountWiring> {
  const { configuration, storage, feed, clock, log } = foundation;
  const fork = () => storage.database.fork();
  const hasher = await loadTokenHasher(fork(), storage.box, clock);
  const background = new BackgroundTasks(log);
  const mail = await openMailQueue(foundation);
  const uses = createUseLogs(foundation);
  const teams = createTeamMemberships({ pooledItems: memberItems, clock });
  const spending: KeySpending = { spentBy: (em, keys) => spentByKeys(em, keys, clock.now()) };
  const lookUps = new LookUpBudget(clock);
  const shared = { fork, hasher, teams, spending, clock, publicUrl, background, lookUps };
  const startSignIn = new StartSignIn({ ...shared, mail, policy: configuration.signIn });
  const keys = new KeyDirectory({ ...shared, feed });
  return {
    services: accountServices({ ...shared, startSignIn }),
    authenticator: new Authenticator({
      ...shared,
      ...uses,
      keys,
      operatorToken: storage.adminToken,
    }),
    credentials: new CredentialWatch(feed),
    openStreams: new OpenStreams(shared),
    idempotencyStore: new IdempotencyStore({ fork, box: storage.box, clock }),
    hasher,
    keys,
    mail,
    startSignIn,
    lookUps,
    background,
    teams,
    ...accountTasks(foundation, { mail, background, ...uses }),
  };
}

function accountServices(dependencies: AccountRpcDependencies): MountedService[] {
  return [
    mountedService(AccountService, createAccountRpc(dependencies)),
    mountedService(AdminService, createAdminRpc({ ...dependencies, erase }), {
      createUser: admittedCallers,
    }),
  ];
}

interface UseLogs {
  readonly keyUse: UseLog;
  readonly sessionUse: UseLog;
}

function createUseLogs({ storage, clock, log }: Foundation): UseLogs {
  const fork = () => storage.database.fork();
  return {
    keyUse: new UseLog({ write: (ids, at) => noteKeyUse(fork(), ids, at), clock, log }),
    sessionUse: new UseLog({ write: (ids, at) => noteSessionUse(fork(), ids, at), clock, log }),
  };
}

function accountTasks(
  { storage, clock }: Foundation,
  parts: UseLogs & { readonly mail: MailQueue; readonly background: BackgroundTasks },
): AccountTasks {
  const { mail, background, keyUse, sessionUse } = parts;
  const clean = async () => {
    await deleteExpired(storage.database.fork(), clock.now());
    await deleteExpiredResponses(storage.database.fork(), clock.now());
    await deleteExpiredTurns(storage.database.fork(), clock.now());
    await deleteExpiredThreads(storage.database.fork(), clock.now(), eraseTurnsOf);
  };
  let housekeeping: NodeJS.Timeout | undefined;
  return {
    start: () => {
      mail.start();
      housekeeping = setInterval(() => {
        void background.run("housekeeping", clean);
      }, housekeepingMs).unref();
    },
    close: async () => {
      clearInterval(housekeeping);
      await mail.close();
      await background.settled();
      await Promise.all([keyUse.flush(), sessionUse.flush()]);
    },
  };
}
