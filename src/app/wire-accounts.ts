import { join } from "node:path";
import { createAccountRpc } from "../account/account.rpc.ts";
import { createAdminRpc } from "../account/admin.rpc.ts";
import { Authenticator } from "../account/authenticator.ts";
import { deleteExpired } from "../account/housekeeping.ts";
import { IdempotencyStore } from "../account/idempotency-store.ts";
import { KeyDirectory } from "../account/key-directory.ts";
import { noteKeyUse } from "../account/keys.ts";
import { noteSessionUse } from "../account/sessions.ts";
import { StartSignIn } from "../account/start-sign-in.ts";
import { noTeams } from "../account/team-membership.ts";
import { loadTokenHasher, type TokenHasher } from "../account/token-hasher.ts";
import { UseLog } from "../account/use-log.ts";
import { AccountService } from "../../gen/ts/causeway/account/v1/account_pb.ts";
import { AdminService } from "../../gen/ts/causeway/admin/v1/admin_pb.ts";
import { BackgroundTasks } from "../platform/background-tasks.ts";
import { MailQueue } from "../platform/mail/mail-queue.ts";
import type { MailTransport } from "../platform/mail/mail-transport.ts";
import { createOutboxTransport } from "../platform/mail/outbox-transport.ts";
import { eraseUpstreams } from "../upstream/upstreams.ts";
import { eraseVendorCredentials } from "../vendor/vendor-links.ts";
import type { Foundation } from "./foundation.ts";
import { mountedService, type MountedService } from "../transport/mounted-service.ts";

export interface AccountWiring {
  readonly services: readonly MountedService[];
  readonly authenticator: Authenticator;
  readonly idempotencyStore: IdempotencyStore;
  readonly hasher: TokenHasher;
  /** Starts what runs now and then. */
  start(): void;
  /** Writes what is pending and waits for what runs. */
  close(): Promise<void>;
}

/** Domains that keep rows of an account, which go when its user is deleted. */
const erase = [eraseUpstreams, eraseVendorCredentials];

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
  const hasher = await loadTokenHasher(fork(), storage.box);
  const teams = noTeams;
  const keys = new KeyDirectory({ fork, feed, hasher, teams, clock });
  const keyUse = new UseLog({ write: (ids, at) => noteKeyUse(fork(), ids, at), clock, log });
  const sessionUse = new UseLog({
    write: (ids, at) => noteSessionUse(fork(), ids, at),
    clock,
    log,
  });
  const background = new BackgroundTasks(log);
  const mail = new MailQueue({
    fork,
    box: storage.box,
    transport: await mailTransport(foundation),
    clock,
    log,
  });
  const { signIn: policy } = configuration;
  const startSignIn = new StartSignIn({ fork, hasher, mail, teams, background, policy, publicUrl });
  const operatorToken = storage.adminToken;
  const clean = () => background.run("housekeeping", () => deleteExpired(fork(), clock.now()));
  let housekeeping: NodeJS.Timeout | undefined;
  return {
    services: [
      mountedService(
        AccountService,
        createAccountRpc({ fork, hasher, background, startSignIn, teams, clock, publicUrl }),
      ),
      mountedService(AdminService, createAdminRpc({ hasher, teams, clock, erase })),
    ],
    authenticator: new Authenticator({
      fork,
      keys,
      hasher,
      operatorToken,
      keyUse,
      sessionUse,
      publicUrl,
      clock,
    }),
    idempotencyStore: new IdempotencyStore({ fork, box: storage.box, clock }),
    hasher,
    start: () => {
      mail.start();
      housekeeping = setInterval(() => void clean(), housekeepingMs).unref();
    },
    close: async () => {
      clearInterval(housekeeping);
      await mail.close();
      await background.settled();
      await Promise.all([keyUse.flush(), sessionUse.flush()]);
    },
  };
}

async function mailTransport({ configuration, log }: Foundation): Promise<MailTransport> {
  const { mail, dataDirectory } = configuration;
  if (mail === undefined) return createOutboxTransport(join(dataDirectory, "outbox"), log);
  const { createSmtpTransport } = await import("../platform/mail/smtp-transport.ts");
  return createSmtpTransport(mail);
}
