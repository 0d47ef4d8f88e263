import { describe, expect, it } from "vitest";
import { methodToCliCommandName } from "../../src/cli/command-name.ts";
import { allServiceDescriptors } from "../../src/contract/services.ts";
import { isExposedAsMcpTool } from "../../src/contract/is-tool.ts";

const names = allServiceDescriptors
  .flatMap(({ methods }) => methods)
  .filter((method) => !isExposedAsMcpTool(method))
  .map((method) => {
    const { noun, verb } = methodToCliCommandName(method);
    return `${noun} ${verb}: ${method.name}`;
  });

describe("commandName()", () => {
  it("[start.cli] gives every operation the words that people have in their scripts", () => {
    expect(names).toEqual([
      "sign-in start: StartSignIn",
      "sign-in finish: FinishSignIn",
      "session end: SignOut",
      "me show: GetMe",
      "sessions list: ListSessions",
      "sessions revoke: RevokeSession",
      "keys list: ListKeys",
      "keys create: CreateKey",
      "keys update: UpdateKey",
      "keys revoke: RevokeKey",
      "keys rotate: RotateKey",
      "audit-events list: ListAudit",
      "upstreams list: ListUpstreams",
      "upstreams create: CreateUpstream",
      "upstreams update: UpdateUpstream",
      "upstreams delete: DeleteUpstream",
      "upstreams probe: ProbeUpstream",
      "vendors list: ListVendors",
      "vendors link: LinkVendor",
      "vendors unlink: UnlinkVendor",
      "teams list: ListTeams",
      "teams create: CreateTeam",
      "teams get: GetTeam",
      "teams update: UpdateTeam",
      "teams delete: DeleteTeam",
      "team-members list: ListTeamMembers",
      "team-members update: UpdateTeamMember",
      "team-members remove: RemoveTeamMember",
      "team-members confirm: ConfirmTeamMember",
      "team-invites list: ListTeamInvites",
      "team-invites create: CreateTeamInvite",
      "team-invites revoke: RevokeTeamInvite",
      "team-invites resend: ResendTeamInvite",
      "team-invites accept: AcceptTeamInvite",
      "team-audit list: ListTeamAudit",
      "team-owners add: AddTeamOwner",
      "items list: ListItems",
      "items create: CreateItem",
      "items update: UpdateItem",
      "items delete: DeleteItem",
      "team-items list: ListTeamItems",
      "items pool: PoolItem",
      "items unpool: UnpoolItem",
      "aliases list: ListAliases",
      "aliases set: SetAlias",
      "aliases delete: DeleteAlias",
      "aliases changes: ListAliasChanges",
      "aliases watch: WatchAliases",
      "models list: ListModels",
      "models get: GetModel",
      "tokens count: CountMessageTokens",
      "threads list: ListThreads",
      "threads get: GetThread",
      "threads delete: DeleteThread",
      "wallet show: GetWallet",
      "usage list: ListUsage",
      "user-credits add: AddUserCredits",
      "team-credits add: AddTeamCredits",
      "calls list: ListCalls",
      "calls get: GetCall",
      "admin-calls list: ListAdminCalls",
      "transcode preview: PreviewTranscode",
      "services document: GetServiceDocument",
      "services learn: LearnService",
      "services ship: ShipService",
      "services unship: UnshipService",
      "services list: ListServices",
      "services get: GetService",
      "services delete: DeleteService",
      "users create: CreateUser",
      "users list: ListUsers",
      "users update: UpdateUser",
      "users delete: DeleteUser",
      "user-keys create: CreateUserKey",
      "user-keys list: ListUserKeys",
      "user-keys revoke: RevokeUserKey",
      "user-sessions create: CreateUserSession",
      "admin-audit-events list: ListAdminAudit",
      "task-contexts list: ListTaskContexts",
    ]);
  });
});
