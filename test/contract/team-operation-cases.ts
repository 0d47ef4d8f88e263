import { randomBytes } from "node:crypto";
import { insertTeam } from "../support/team-rows.ts";
import type { CaseWorld, OperationCase } from "./operation-case.ts";

const unknownTeam = { team_id: "team_00000000000000000000000000" };
const unknownMember = { user_id: "user_00000000000000000000000000" };
const unknownCode = { code: "inv_0000000000000000000000000000" };

const tooMany = { fields: { limit: 101 }, param: "limit" };

/** How the operations on teams are tried. */
export const teamOperationCases: Readonly<Record<string, OperationCase>> = {
  ListTeams: { happy: () => ({ fields: {} }), invalid: tooMany },
  CreateTeam: {
    happy: () => ({ fields: { name: "Crew" } }),
    invalid: { fields: { name: " " }, param: "name" },
  },
  GetTeam: { happy: inOwnTeam, unknown: unknownTeam },
  UpdateTeam: {
    happy: async (world) => ({ fields: { ...(await inOwnTeam(world)).fields, name: "Renamed" } }),
    unknown: unknownTeam,
    invalid: {
      fields: { share_defaults: { mcp: true, rules: true } },
      param: "share_defaults.skills",
    },
  },
  DeleteTeam: { happy: inOwnTeam, unknown: unknownTeam },
  ListTeamMembers: { happy: inOwnTeam, unknown: unknownTeam, invalid: tooMany },
  UpdateTeamMember: {
    happy: async (world) => {
      const { fields } = await withMember(world);
      return { fields: { ...fields, role: "editor", groups: ["night shift"] } };
    },
    unknown: unknownMember,
    invalid: { fields: { role: "captain" }, param: "role" },
  },
  RemoveTeamMember: { happy: withMember, unknown: unknownMember },
  ConfirmTeamMember: { happy: withMember, unknown: unknownMember },
  ListTeamInvites: { happy: inOwnTeam, unknown: unknownTeam, invalid: tooMany },
  CreateTeamInvite: {
    happy: async (world) => ({
      fields: { ...(await inOwnTeam(world)).fields, email: newAddress() },
    }),
    unknown: unknownTeam,
    invalid: { fields: { email: "not an address" }, param: "email" },
  },
  RevokeTeamInvite: { happy: withInvite, unknown: unknownCode },
  ResendTeamInvite: { happy: withInvite, unknown: unknownCode },
  AcceptTeamInvite: {
    happy: async (world) => ({ fields: { code: await inviteOfUser(world), share: { mcp: true } } }),
    unknown: unknownCode,
    invalid: { fields: { share: { mcp: "yes" } }, param: "share.mcp" },
  },
  ListTeamAudit: { happy: inOwnTeam, unknown: unknownTeam, invalid: tooMany },
  AddTeamOwner: { happy: withMember, unknown: unknownMember },
};

/** A team whose one owner is the user. */
async function inOwnTeam({ causeway, user }: CaseWorld) {
  const seats = [{ userId: user.id, role: "owner" as const }];
  return { fields: { team_id: await insertTeam(causeway.connectionString, seats) } };
}

/** The same with another member. */
async function withMember({ causeway, user }: CaseWorld) {
  const member = await causeway.createUser();
  const team = await insertTeam(causeway.connectionString, [
    { userId: user.id, role: "owner" },
    { userId: member.id, role: "member", confirmed: false },
  ]);
  return { fields: { team_id: team, user_id: member.id } };
}

/** The same with a pending invite. */
async function withInvite(world: CaseWorld) {
  const { fields } = await inOwnTeam(world);
  const code = await invite(world, fields.team_id, world.user.session, newAddress());
  return { fields: { ...fields, code } };
}

/** An invite of the user to somebody else's team. */
async function inviteOfUser(world: CaseWorld): Promise<string> {
  const { causeway, user } = world;
  const owner = await causeway.createUser();
  const team = await insertTeam(causeway.connectionString, [{ userId: owner.id, role: "owner" }]);
  return invite(world, team, owner.session, user.email);
}

async function invite({ causeway }: CaseWorld, team: string, token: string, email: string) {
  const path = `/v1/teams/${team}/invites`;
  const answer = await causeway.call("POST", path, { token, body: { email } });
  return answer.body.code as string;
}

function newAddress(): string {
  return `${randomBytes(6).toString("hex")}@example.org`;
}
