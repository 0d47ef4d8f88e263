import type { LazilyLoadedMigration } from "../../platform/database/migrate.ts";

/**
 * Every migration, oldest first. A released one is never changed or renamed:
 * a database remembers it by this name, and is refused by a release that does not
 * know it. The numbers from 0011 to 0020 were never given, and stay free: a migration
 * there would stand before some that databases have run. Code is loaded when it has to run.
 */
export const migrations: readonly LazilyLoadedMigration[] = [
  {
    name: "0001-change-notification",
    load: async () =>
      (await import("./0001-change-notification.ts")).CreateChangeNotificationMigration,
  },
  {
    name: "0002-accounts",
    load: async () => (await import("./0002-accounts.ts")).CreateAccountTablesMigration,
  },
  {
    name: "0003-endpoints",
    load: async () => (await import("./0003-endpoints.ts")).CreateUpstreamTablesMigration,
  },
  {
    name: "0004-teams",
    load: async () => (await import("./0004-teams.ts")).CreateTeamTablesMigration,
  },
  {
    name: "0005-items",
    load: async () => (await import("./0005-items.ts")).CreateAgentItemTablesMigration,
  },
  {
    name: "0006-dependency-cache",
    load: async () => (await import("./0006-dependency-cache.ts")).CreateDependencyCacheMigration,
  },
  {
    name: "0007-task-contexts",
    load: async () => (await import("./0007-task-contexts.ts")).CreateTaskContextsMigration,
  },
  {
    name: "0008-kept-responses",
    load: async () => (await import("./0008-kept-responses.ts")).CreateStoredResponsesMigration,
  },
  {
    name: "0009-aliases",
    load: async () => (await import("./0009-aliases.ts")).CreateAliasTablesMigration,
  },
  {
    name: "0010-ledger",
    load: async () => (await import("./0010-ledger.ts")).CreateLedgerTablesMigration,
  },
  {
    name: "0021-login-renewal",
    load: async () => (await import("./0021-login-renewal.ts")).AddCredentialRefreshClaimMigration,
  },
  {
    name: "0022-keys-of-former-members",
    load: async () =>
      (await import("./0022-keys-of-former-members.ts")).RevokeFormerMemberKeysMigration,
  },
  {
    name: "0023-invite-senders",
    load: async () => (await import("./0023-invite-senders.ts")).AddInviteSenderMigration,
  },
  {
    name: "0024-sign-in-links",
    load: async () => (await import("./0024-sign-in-links.ts")).AddSignInLinkCodeMigration,
  },
  {
    name: "0025-ended-credentials",
    load: async () => (await import("./0025-ended-credentials.ts")).CreateOpenStreamsMigration,
  },
  {
    name: "0026-audit-actors",
    load: async () => (await import("./0026-audit-actors.ts")).AddAuditActorKindMigration,
  },
  {
    name: "0027-endpoint-probes",
    load: async () => (await import("./0027-endpoint-probes.ts")).NotifyUpstreamProbesMigration,
  },
  {
    name: "0028-calls",
    load: async () => (await import("./0028-calls.ts")).CreateCallLogTablesMigration,
  },
  {
    name: "0029-responses-endpoints",
    load: async () =>
      (await import("./0029-responses-endpoints.ts")).AllowResponsesUpstreamMigration,
  },
  {
    name: "0030-model-times",
    load: async () => (await import("./0030-model-times.ts")).AddModelCreationTimesMigration,
  },
  {
    name: "0031-alias-targets",
    load: async () => (await import("./0031-alias-targets.ts")).AddAliasTargetsMigration,
  },
  {
    name: "0032-responses-of-calls",
    load: async () => (await import("./0032-responses-of-calls.ts")).AddCallResponseIdMigration,
  },
  {
    name: "0033-turn-engine",
    load: async () => (await import("./0033-turn-engine.ts")).CreateTurnQueueMigration,
  },
  {
    name: "0034-turns",
    load: async () => (await import("./0034-turns.ts")).CreateTurnsMigration,
  },
  {
    name: "0035-turn-starts",
    load: async () => (await import("./0035-turn-starts.ts")).CreateStartTurnFunctionMigration,
  },
  {
    name: "0036-agent-threads",
    load: async () => (await import("./0036-agent-threads.ts")).CreateAgentThreadsMigration,
  },
  {
    name: "0037-item-tools",
    load: async () => (await import("./0037-item-tools.ts")).AddAgentItemToolsMigration,
  },
  {
    name: "0038-waiting-turns",
    load: async () => (await import("./0038-waiting-turns.ts")).NotifyWaitingTurnsMigration,
  },
  {
    name: "0039-learned-services",
    load: async () => (await import("./0039-learned-services.ts")).CreateLearnedServicesMigration,
  },
  {
    name: "0040-leases-of-the-ledger",
    load: async () =>
      (await import("./0040-leases-of-the-ledger.ts")).ReplaceLedgerLeaseIndexMigration,
  },
  {
    name: "0041-the-only-dial-of-a-call",
    load: async () =>
      (await import("./0041-the-only-dial-of-a-call.ts")).AddCallDialDurationMigration,
  },
  {
    name: "0042-turn-answers",
    load: async () => (await import("./0042-turn-answers.ts")).CreateTurnAnswersMigration,
  },
  {
    name: "0043-fair-turns",
    load: async () => (await import("./0043-fair-turns.ts")).FairTurnQueueMigration,
  },
  {
    name: "0044-turns-behind-the-last",
    load: async () =>
      (await import("./0044-turns-behind-the-last.ts")).CheckLatestTurnOnStartMigration,
  },
  {
    name: "0045-bytes-of-turns",
    load: async () => (await import("./0045-bytes-of-turns.ts")).TurnMemoryLimitMigration,
  },
  {
    name: "0046-turns-of-concurrent-starts",
    load: async () =>
      (await import("./0046-turns-of-concurrent-starts.ts")).ReturnClaimedTurnsMigration,
  },
];
