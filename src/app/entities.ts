import { AgentThreadSchema } from "../agent/thread/agent-thread.entity.ts";
import { AliasRevisionSchema, AliasSchema } from "../alias/alias.entity.ts";
import { AuditEventSchema } from "../domain/audit/audit-event.entity.ts";
import { CallSchema } from "../call-log/call.entity.ts";
import { CallerKeySecretSchema } from "../account/caller-key-secret.entity.ts";
import { CallerKeySchema } from "../account/caller-key.entity.ts";
import { IdempotencyRecordSchema } from "../account/idempotency-record.entity.ts";
import { OpenStreamSchema } from "../account/open-stream.entity.ts";
import { SealedSettingSchema } from "../account/sealed-setting.entity.ts";
import { SessionSchema } from "../account/session.entity.ts";
import { SignInCodeSchema } from "../account/sign-in-code.entity.ts";
import { UserSchema } from "../account/user.entity.ts";
import { LearnedServiceSchema } from "../document/learned-service.entity.ts";
import { CachedDocumentSchema } from "../depshealth/fetch/cached-document.entity.ts";
import { TaskContextSchema } from "../depshealth/task-context/task-context.entity.ts";
import type { EntityList } from "../platform/database/orm-options.ts";
import { OutgoingMailSchema } from "../platform/mail/outgoing-mail.entity.ts";
import { TeamInviteSchema } from "../team/team-invite.entity.ts";
import { TeamMemberSchema } from "../team/team-member.entity.ts";
import { TeamSchema } from "../team/team.entity.ts";
import { ItemSchema } from "../team/item/item.entity.ts";
import { PooledItemSchema } from "../team/item/pooled-item.entity.ts";
import { StoredResponseSchema } from "../gateway/stored-responses/stored-response.entity.ts";
import { UpstreamSchema } from "../upstream/upstream.entity.ts";
import { TakenAnswerSchema } from "../turn/taken-answer.entity.ts";
import { TurnEventBatchSchema } from "../turn/turn-event-batch.entity.ts";
import { TurnSchema } from "../turn/turn.entity.ts";
import { KeySpendingSchema, LedgerEntrySchema, WalletSchema } from "../wallet/ledger.entity.ts";
import { VendorCredentialSchema } from "../model-vendor/vendor-credential.entity.ts";

/** Every entity, listed by hand: nothing is searched for at start. */
export const entities: EntityList = [
  UserSchema,
  CallerKeySchema,
  CallerKeySecretSchema,
  SessionSchema,
  SignInCodeSchema,
  AuditEventSchema,
  IdempotencyRecordSchema,
  OpenStreamSchema,
  SealedSettingSchema,
  OutgoingMailSchema,
  UpstreamSchema,
  VendorCredentialSchema,
  StoredResponseSchema,
  AliasSchema,
  AliasRevisionSchema,
  CallSchema,
  WalletSchema,
  KeySpendingSchema,
  LedgerEntrySchema,
  AgentThreadSchema,
  TurnSchema,
  TurnEventBatchSchema,
  TakenAnswerSchema,
  LearnedServiceSchema,
  TeamSchema,
  TeamMemberSchema,
  TeamInviteSchema,
  ItemSchema,
  PooledItemSchema,
  CachedDocumentSchema,
  TaskContextSchema,
];
