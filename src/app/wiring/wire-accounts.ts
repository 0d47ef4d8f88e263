import { eraseWallet, loadSpendByKey } from "../../wallet/wallets.ts";
import { eraseAliases } from "../../alias/aliases.ts";
import { eraseLoggedCalls } from "../../call-log/erase-calls.ts";
import { createAccountRpc, type AccountRpcDependencies } from "../../account/account.rpc.ts";
import { createAdminRpc } from "../../account/admin.rpc.ts";
import { CredentialRevocationWatcher } from "../../account/credential-watcher.ts";
import { Authenticator } from "../../account/authenticator.ts";
import { deleteExpiredAccountData } from "../../account/delete-expired-account-data.ts";
import { IdempotencyStore } from "../../account/idempotency-store.ts";
import type { KeySpendLookup } from "../../account/key-spend.ts";
import { CallerKeyDirectory } from "../../account/key-directory.ts";
import { OpenStreamLimiter } from "../../account/open-streams.ts";
import { UnknownCredentialRateLimiter } from "../../account/unknown-credential-limiter.ts";
import { recordKeysLastUsed } from "../../account/keys.ts";
import { recordSessionsLastUsed } from "../../account/sessions.ts";
import { SignInCodeMailer } from "../../account/sign-in-starter.ts";
import { loadTokenHasher, type TokenHasher } from "../../account/token-hasher.ts";
import type { TeamMembershipLookup } from "../../account/team-membership.ts";
import { LastUsedRecorder } from "../../account/last-used-recorder.ts";
import { AccountService } from "../../../gen/ts/causeway/account/v1/account_pb.ts";
import { AdminService } from "../../../gen/ts/causeway/admin/v1/admin_pb.ts";
import { BackgroundTasks } from "../../platform/background-tasks.ts";
import { monotonicClock } from "../../platform/clock.ts";
import { allowAnyReplay } from "../../platform/replay-checks.ts";
import type { MailQueue } from "../../platform/mail/mail-queue.ts";
import { agentExtensionMembershipHooks } from "../../team/item/member-items.ts";
import { createTeamMembershipLookup } from "../../team/team-memberships.ts";
import { bindServiceImplementation, type MountedService } from "../../transport/mounted-service.ts";
import {
  deleteExpiredResponses,
  eraseStoredResponses,
} from "../../gateway/stored-responses/stored-response-store.ts";
import { deleteExpiredThreads, eraseThreads } from "../../agent/thread/expired-threads.ts";
import { deleteExpiredTurns, eraseTurns } from "../../turn/delete-turns.ts";
import { eraseTurnsOfThreads } from "../../turn/thread-turns.ts";
import { eraseAgentExtensions } from "../../team/item/items.ts";
import { eraseUpstreams } from "../../upstream/upstreams.ts";
import { eraseVendorCredentials } from "../../model-vendor/vendor-links.ts";
import type { SharedResources } from "../foundation.ts";
import { openMailQueue } from "../open-mail-queue.ts";

export interface AccountModule extends AccountTasks {
  readonly services: readonly MountedService[];
  readonly authenticator: Authenticator;
  readonly credentials: CredentialRevocationWatcher;
  readonly openStreams: OpenStreamLimiter;
  readonly idempotencyStore: IdempotencyStore;
  readonly hasher: TokenHasher;
  readonly keys: CallerKeyDirectory;
  readonly mail: MailQueue;
  readonly startSignIn: SignInCodeMailer;
  readonly unknownCredentials: UnknownCredentialRateLimiter;
  readonly background: BackgroundTasks;
  readonly teams: TeamMembershipLookup;
}

/** What accounts do beside answering calls. */
interface AccountTasks {
  /** Starts what runs now and then. */
  start(): void;
  /** Writes what is pending and waits for what runs. */
  close(): Promise<void>;
}

/** Domains that keep rows of an account, which go when its user or team is deleted. */
export const accountDataErasers = [
  eraseUpstreams,
  eraseVendorCredentials,
  eraseAgentExtensions,
  eraseStoredResponses,
  eraseTurns,
  eraseThreads,
  eraseAliases,
  eraseLoggedCalls,
  eraseWallet,
];

const housekeepingMs = 10 * 60_000;

/**
 * Builds the account domain: credentials, sign-in, mail and the two services.
 * `publicUrl` is where browsers reach the gateway.
 */
export async function createAccountModule(
  foundation: SharedResources,
  publicUrl: () => string,
): Promise<AccountModule> {
  const { configuration, storage, feed, clock, log } = foundation;
  const fork = () => storage.database.fork();
  const hasher = await loadTokenHasher(fork(), storage.box, clock);
  const background = new BackgroundTasks(log);
  const mail = await openMailQueue(foundation);
  const uses = createUseLogs(foundation);
  const teams = createTeamMembershipLookup({ pooledItems: agentExtensionMembershipHooks, clock });
  const spending: KeySpendLookup = { spendOf: (em, keys) => loadSpendByKey(em, keys, clock.now()) };
  const lookUps = new UnknownCredentialRateLimiter(monotonicClock, foundation.lookUpAllowance);
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
  const startSignIn = new SignInCodeMailer({ ...shared, mail, policy: configuration.signIn });
  const keys = new CallerKeyDirectory({ ...shared, feed });
  return {
    services: accountServices({ ...shared, startSignIn }),
    authenticator: new Authenticator({
      ...shared,
      ...uses,
      keys,
      operatorToken: storage.adminToken,
    }),
    credentials: new CredentialRevocationWatcher(feed),
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
      createAdminRpc({ ...dependencies, erase: accountDataErasers }),
      {
        createUser: allowAnyReplay,
      },
    ),
  ];
}

interface UseLogs {
  readonly keyUse: LastUsedRecorder;
  readonly sessionUse: LastUsedRecorder;
}

function createUseLogs({ storage, clock, log }: SharedResources): UseLogs {
  const fork = () => storage.database.fork();
  return {
    keyUse: new LastUsedRecorder({
      write: (ids, at) => recordKeysLastUsed(fork(), ids, at),
      clock,
      log,
    }),
    sessionUse: new LastUsedRecorder({
      write: (ids, at) => recordSessionsLastUsed(fork(), ids, at),
      clock,
      log,
    }),
  };
}

function accountTasks(
  { storage, clock }: SharedResources,
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
