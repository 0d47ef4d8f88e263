import { eraseWallet, loadSpendByKey } from "../../wallet/wallets.ts";
import { eraseAliases } from "../../alias/aliases.ts";
import { eraseCalls } from "../../call-log/erase-calls.ts";
import { createAccountRpc, type AccountRpcDependencies } from "../../account/account.rpc.ts";
import { createAdminRpc } from "../../account/admin.rpc.ts";
import { PrincipalChangeWatcher } from "../../account/credential-watcher.ts";
import { Authenticator } from "../../account/authenticator.ts";
import { deleteExpiredAccountData } from "../../account/delete-expired-account-data.ts";
import { IdempotencyStore } from "../../account/idempotency-store.ts";
import type { KeySpendLookup } from "../../account/key-spend.ts";
import { KeyDirectory } from "../../account/key-directory.ts";
import { OpenStreamLimiter } from "../../account/open-streams.ts";
import { UnknownCredentialLimiter } from "../../account/unknown-credential-limiter.ts";
import { recordKeyUse } from "../../account/keys.ts";
import { recordSessionUse } from "../../account/sessions.ts";
import { SignInStarter } from "../../account/sign-in-starter.ts";
import { loadTokenHasher, type TokenHasher } from "../../account/token-hasher.ts";
import type { TeamMembershipPort } from "../../account/team-membership.ts";
import { LastUsedRecorder } from "../../account/last-used-recorder.ts";
import { AccountService } from "../../../gen/ts/causeway/account/v1/account_pb.ts";
import { AdminService } from "../../../gen/ts/causeway/admin/v1/admin_pb.ts";
import { BackgroundTasks } from "../../platform/background-tasks.ts";
import { skipReplayCheck } from "../../platform/replay-checks.ts";
import type { MailQueue } from "../../platform/mail/mail-queue.ts";
import { agentItemMembershipHooks } from "../../team/item/member-items.ts";
import { createTeamMembershipPort } from "../../team/team-memberships.ts";
import { bindServiceImplementation, type MountedService } from "../../transport/mounted-service.ts";
import {
  deleteExpiredResponses,
  eraseStoredResponses,
} from "../../gateway/stored-responses/stored-response-store.ts";
import { deleteExpiredThreads, eraseThreads } from "../../agent/thread/expired-threads.ts";
import { deleteExpiredTurns, eraseTurns } from "../../turn/delete-turns.ts";
import { eraseTurnsOfThreads } from "../../turn/thread-turns.ts";
import { eraseItems } from "../../team/item/items.ts";
import { eraseUpstreams } from "../../upstream/upstreams.ts";
import { eraseVendorCredentials } from "../../model-vendor/vendor-links.ts";
import type { Foundation } from "../foundation.ts";
import { openMailQueue } from "../open-mail-queue.ts";

export interface AccountWiring extends AccountTasks {
  readonly services: readonly MountedService[];
  readonly authenticator: Authenticator;
  readonly credentials: PrincipalChangeWatcher;
  readonly openStreams: OpenStreamLimiter;
  readonly idempotencyStore: IdempotencyStore;
  readonly hasher: TokenHasher;
  readonly keys: KeyDirectory;
  readonly mail: MailQueue;
  readonly startSignIn: SignInStarter;
  readonly unknownCredentials: UnknownCredentialLimiter;
  readonly background: BackgroundTasks;
  readonly teams: TeamMembershipPort;
}

/** What accounts do beside answering calls. */
interface AccountTasks {
  /** Starts what runs now and then. */
  start(): void;
  /** Writes what is pending and waits for what runs. */
  close(): Promise<void>;
}

/** Domains that keep rows of an account, which go when its user or team is deleted. */
export const accountErasers = [
  eraseUpstreams,
  eraseVendorCredentials,
  eraseItems,
  eraseStoredResponses,
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
  const teams = createTeamMembershipPort({ pooledItems: agentItemMembershipHooks, clock });
  const spending: KeySpendLookup = { spendOf: (em, keys) => loadSpendByKey(em, keys, clock.now()) };
  const lookUps = new UnknownCredentialLimiter(clock, foundation.lookUpAllowance);
  const shared = {
    fork,
    hasher,
    teams,
    keySpend: spending,
    clock,
    publicUrl,
    background,
    unknownCredentials: lookUps,
  };
  const startSignIn = new SignInStarter({ ...shared, mail, policy: configuration.signIn });
  const keys = new KeyDirectory({ ...shared, feed });
  return {
    services: accountServices({ ...shared, startSignIn }),
    authenticator: new Authenticator({
      ...shared,
      ...uses,
      keys,
      operatorToken: storage.adminToken,
    }),
    credentials: new PrincipalChangeWatcher(feed),
    openStreams: new OpenStreamLimiter(shared),
    idempotencyStore: new IdempotencyStore({ fork, box: storage.box, clock }),
    hasher,
    keys,
    mail,
    startSignIn,
    unknownCredentials: lookUps,
    background,
    teams,
    ...accountTasks(foundation, { mail, background, ...uses }),
  };
}

function accountServices(dependencies: AccountRpcDependencies): MountedService[] {
  return [
    bindServiceImplementation(AccountService, createAccountRpc(dependencies)),
    bindServiceImplementation(
      AdminService,
      createAdminRpc({ ...dependencies, erase: accountErasers }),
      {
        createUser: skipReplayCheck,
      },
    ),
  ];
}

interface UseLogs {
  readonly keyUse: LastUsedRecorder;
  readonly sessionUse: LastUsedRecorder;
}

function createUseLogs({ storage, clock, log }: Foundation): UseLogs {
  const fork = () => storage.database.fork();
  return {
    keyUse: new LastUsedRecorder({ write: (ids, at) => recordKeyUse(fork(), ids, at), clock, log }),
    sessionUse: new LastUsedRecorder({
      write: (ids, at) => recordSessionUse(fork(), ids, at),
      clock,
      log,
    }),
  };
}

function accountTasks(
  { storage, clock }: Foundation,
  parts: UseLogs & { readonly mail: MailQueue; readonly background: BackgroundTasks },
): AccountTasks {
  const { mail, background, keyUse, sessionUse } = parts;
  const clean = async () => {
    await deleteExpiredAccountData(storage.database.fork(), clock.now());
    await deleteExpiredResponses(storage.database.fork(), clock.now());
    await deleteExpiredTurns(storage.database.fork(), clock.now());
    await deleteExpiredThreads(storage.database.fork(), clock.now(), eraseTurnsOfThreads);
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
      await background.waitForAll();
      await Promise.all([keyUse.flush(), sessionUse.flush()]);
    },
  };
}
