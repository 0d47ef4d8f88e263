import { AgentThreadEntity } from "../agent/thread/agent-thread.entity.ts";
import { AliasRevisionCounterEntity, AliasEntity } from "../alias/alias.entity.ts";
import { AuditLogEventEntity } from "../domain/audit/audit-event.entity.ts";
import { LoggedCallEntity } from "../call-log/call.entity.ts";
import { CallerKeySecretEntity } from "../account/caller-key-secret.entity.ts";
import { CallerKeyEntity } from "../account/caller-key.entity.ts";
import { IdempotencyRecordEntity } from "../account/idempotency-record.entity.ts";
import { OpenStreamEntity } from "../account/open-stream.entity.ts";
import { SealedSettingEntity } from "../account/sealed-setting.entity.ts";
import { SessionEntity } from "../account/session.entity.ts";
import { SignInCodeEntity } from "../account/sign-in-code.entity.ts";
import { UserEntity } from "../account/user.entity.ts";
import { LearnedServiceEntity } from "../document/learned-service.entity.ts";
import { DataSourceDocumentEntity } from "../depshealth/fetch/cached-document.entity.ts";
import { CallerTaskContextEntity } from "../depshealth/task-context/task-context.entity.ts";
import type { OrmEntityList } from "../platform/database/orm-options.ts";
import { OutgoingMailEntity } from "../platform/mail/outgoing-mail.entity.ts";
import { TeamInviteEntity } from "../team/team-invite.entity.ts";
import { TeamMemberEntity } from "../team/team-member.entity.ts";
import { TeamEntity } from "../team/team.entity.ts";
import { AgentExtensionEntity } from "../team/item/item.entity.ts";
import { PooledAgentExtensionEntity } from "../team/item/pooled-item.entity.ts";
import { StoredResponseEntity } from "../gateway/stored-responses/stored-response.entity.ts";
import { CustomEndpointEntity } from "../upstream/upstream.entity.ts";
import { ConsumedCallerToolReplyEntity } from "../turn/taken-answer.entity.ts";
import { TurnEventBatchEntity } from "../turn/turn-event-batch.entity.ts";
import { DurableTurnEntity } from "../turn/turn.entity.ts";
import { KeySpendingEntity, LedgerEntryEntity, WalletEntity } from "../wallet/ledger.entity.ts";
import { VendorCredentialEntity } from "../model-vendor/vendor-credential.entity.ts";

/** Every entity, listed by hand: nothing is searched for at start. */
export const databaseEntities: OrmEntityList = [
  UserEntity,
  CallerKeyEntity,
  CallerKeySecretEntity,
  SessionEntity,
  SignInCodeEntity,
  AuditLogEventEntity,
  IdempotencyRecordEntity,
  OpenStreamEntity,
  SealedSettingEntity,
  OutgoingMailEntity,
  CustomEndpointEntity,
  VendorCredentialEntity,
  StoredResponseEntity,
  AliasEntity,
  AliasRevisionCounterEntity,
  LoggedCallEntity,
  WalletEntity,
  KeySpendingEntity,
  LedgerEntryEntity,
  AgentThreadEntity,
  DurableTurnEntity,
  TurnEventBatchEntity,
  ConsumedCallerToolReplyEntity,
  LearnedServiceEntity,
  TeamEntity,
  TeamMemberEntity,
  TeamInviteEntity,
  AgentExtensionEntity,
  PooledAgentExtensionEntity,
  DataSourceDocumentEntity,
  CallerTaskContextEntity,
];
