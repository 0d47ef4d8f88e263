/** No address, code or secret of a team gets into the log or to whom it does not concern. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";

let causeway: TestInstance;
let owner: TestUser;
let guest: TestUser;
let stranger: TestUser;
/** What the members see beside each other, by who asked for it. */
let answers: { owner: string; member: string; stranger: string };
const codes: string[] = [];
let key = "";

beforeAll(async () => {
  causeway = await startTestInstance({ environment: { CAUSEWAY_LOG_LEVEL: "trace" } });
  owner = await causeway.createUser("owner-sentinel@example.org");
  guest = await causeway.createUser("guest-sentinel@example.org");
  stranger = await causeway.createUser("stranger-sentinel@example.org");
  answers = await story();
});

afterAll(() => causeway.close());

/** Everything that can happen to a team and its invites, refusals included. */
async function story() {
  const heard = { owner: "", member: "", stranger: "" };
  const as = async (who: keyof typeof heard, method: string, path: string, body?: unknown) => {
    const { session: token } = { owner, member: guest, stranger }[who];
    const answer = await causeway.call(method, path, { token, body });
    heard[who] += JSON.stringify(answer.body);
    return answer.body;
  };
  const { id } = await as("owner", "POST", "/v1/teams", { name: "Crew" });
  const team = `/v1/teams/${id}`;
  const invite = { email: guest.email, role: "admin" };
  const { code: first } = await as("owner", "POST", `${team}/invites`, invite);
  await as("stranger", "POST", `/v1/team_invites/${first}/accept`);
  const { code } = await as("owner", "POST", `${team}/invites/${first}/resend`);
  codes.push(first, code);
  await as("owner", "POST", `${team}/invites/${first}/resend`);
  await as("stranger", "POST", `/v1/team_invites/${code}/accept`);
  await as("stranger", "GET", `${team}/invites`);
  await as("stranger", "DELETE", `${team}/invites/${code}`);
  await as("owner", "GET", `${team}/invites?after_id=${first}`);
  await causeway.call("GET", `/invites/${code}`);
  await as("member", "POST", `/v1/team_invites/${code}/accept`);
  await as("member", "POST", `/v1/team_invites/${code}/accept`);
  await as("owner", "POST", `${team}/invites`, invite);
  key = (await as("owner", "POST", "/v1/keys", { team_id: id, scopes: ["teams:read"] })).secret;
  for (const route of ["", "/members", "/invites", "/audit", "/items"]) {
    await as("member", "GET", `${team}${route}`);
    await as("stranger", "GET", `${team}${route}`);
  }
  await as("member", "GET", "/v1/keys");
  await as("member", "GET", "/v1/audit");
  await as("owner", "DELETE", team);
  return heard;
}

describe("what a team keeps to itself", () => {
  it("is not in the log, at its most talkative", () => {
    const log = JSON.stringify(causeway.logLines());
    expect(log).toContain("AcceptTeamInvite");
    for (const secret of ["-sentinel", ...codes, key]) expect(log).not.toContain(secret);
  });

  it("is not told to strangers: no address but their own, no code", () => {
    expect(codes).toHaveLength(2);
    for (const secret of ["owner-sentinel", "guest-sentinel", ...codes, key]) {
      expect(answers.stranger).not.toContain(secret);
    }
  });

  it("is not told to other members: no address, no secret of a key, no worthless code", () => {
    for (const secret of ["owner-sentinel", "stranger-sentinel", key, ...codes]) {
      expect(answers.member).not.toContain(secret);
    }
  });

  it("is not in the audit log of the installation", async () => {
    const { body } = await causeway.call("GET", "/v1/admin/audit?limit=100", {
      token: causeway.adminToken,
    });
    expect(body.data.length).toBeGreaterThan(8);
    const log = JSON.stringify(body);
    for (const secret of ["-sentinel", ...codes, key]) expect(log).not.toContain(secret);
  });
});
