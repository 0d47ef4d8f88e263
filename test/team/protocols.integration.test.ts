/** Teams over Connect, gRPC and gRPC-web: the same operations, rules and refusals. */
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, it } from "vitest";
import { ErrorInfoSchema } from "../../gen/ts/causeway/error/v1/error_pb.ts";
import { TeamRole } from "../../gen/ts/causeway/team/v1/member_pb.ts";
import { TeamService } from "../../gen/ts/causeway/team/v1/team_pb.ts";
import { SharePolicy } from "../../gen/ts/causeway/team/v1/team_types_pb.ts";
import { newAddress, useTeamWorld } from "./team-world.ts";

const world = useTeamWorld();

const transports: readonly (readonly [name: string, open: (baseUrl: string) => Transport])[] = [
  ["Connect", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
  ["gRPC-web", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
];

describe.each(transports)("%s", (_name, open) => {
  const callers = async () => {
    const client = createClient(TeamService, open(world.causeway.url));
    const [owner, guest] = [await world.user(), await world.user()];
    const as = ({ session }: typeof owner) => ({ headers: { authorization: `Bearer ${session}` } });
    return { client, owner, guest, asOwner: as(owner), asGuest: as(guest) };
  };

  it("makes a team, invites, accepts, promotes and removes", async () => {
    const { client, guest, asOwner, asGuest } = await callers();
    const { id: teamId, role } = await client.createTeam({ name: "Crew" }, asOwner);
    expect(role).toBe(TeamRole.OWNER);
    const { code } = await client.createTeamInvite({ teamId, email: guest.email }, asOwner);
    expect((await client.acceptTeamInvite({ code }, asGuest)).memberCount).toBe(2);
    const member = { teamId, userId: guest.id };
    const updated = await client.updateTeamMember({ ...member, role: TeamRole.ADMIN }, asOwner);
    expect(updated).toMatchObject({ role: TeamRole.ADMIN, groups: [] });
    await client.removeTeamMember(member, asGuest);
    const { data } = await client.listTeamMembers({ teamId }, asOwner);
    expect(data).toHaveLength(1);
  });

  it("changes what the mask names, and without one what is set", async () => {
    const { client, asOwner } = await callers();
    const { id: teamId } = await client.createTeam({ name: "Crew" }, asOwner);
    const update = { teamId, name: "Ignored", sharePolicy: SharePolicy.EDITORS };
    const masked = await client.updateTeam(
      { ...update, updateMask: { paths: ["share_policy"] } },
      asOwner,
    );
    expect(masked).toMatchObject({ name: "Crew", sharePolicy: SharePolicy.EDITORS });
    const set = await client.updateTeam({ teamId, name: "Night" }, asOwner);
    expect(set).toMatchObject({ name: "Night", sharePolicy: SharePolicy.EDITORS });
    const empty = { teamId, updateMask: { paths: ["share_defaults"] } };
    const failure = await refusalOf(client.updateTeam(empty, asOwner));
    expect(failure).toMatchObject({
      code: Code.InvalidArgument,
      info: { code: "invalid_request", param: "share_defaults" },
    });
  });

  it("refuses as REST does", async () => {
    const { client, owner, asOwner, asGuest } = await callers();
    const { id: teamId } = await client.createTeam({ name: "Crew" }, asOwner);
    const { code } = await client.createTeamInvite({ teamId, email: newAddress() }, asOwner);
    const stranger = await refusalOf(client.getTeam({ teamId }, asGuest));
    expect(stranger).toMatchObject({ code: Code.NotFound, info: { code: "not_found" } });
    const leave = { teamId, userId: owner.id };
    const lastOwner = await refusalOf(client.removeTeamMember(leave, asOwner));
    expect(lastOwner).toMatchObject({
      code: Code.FailedPrecondition,
      info: { code: "last_owner" },
    });
    const mismatch = await refusalOf(client.acceptTeamInvite({ code }, asGuest));
    expect(mismatch).toMatchObject({
      code: Code.PermissionDenied,
      info: { code: "invite_email_mismatch" },
    });
  });
});

async function refusalOf(call: Promise<unknown>) {
  const error = await call.then(
    () => expect.fail("The call was not refused."),
    (thrown: unknown) => ConnectError.from(thrown),
  );
  return { code: error.code, info: error.findDetails(ErrorInfoSchema)[0] };
}
