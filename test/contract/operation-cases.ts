import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestInstance, TestUser } from "../support/test-instance.ts";
import type { CaseWorld, OperationCase } from "./operation-case.ts";
import { harOf } from "../document/har.ts";
import { insertThread } from "../support/thread-rows.ts";
import { insertTeam } from "../support/team-rows.ts";
import { waitUntil } from "../support/wait-until.ts";
import { teamOperationCases } from "./team-operation-cases.ts";

const none: OperationCase = { happy: () => ({ fields: {} }) };
const list: OperationCase = { ...none, invalid: { fields: { limit: 101 }, param: "limit" } };
const unknownUser = { user_id: "user_00000000000000000000000000" };
const unknownKey = "key_00000000000000000000000000";
const unknownItem = "item_00000000000000000000000000";
const unknownTeam = "team_00000000000000000000000000";

const unknownService = { service_id: "unknown" };
const shipment = { title: "CRM", base_url: "https://crm.test" };
const learnedServiceCase: OperationCase = {
  happy: async (world) => ({ fields: await learnedService(world) }),
  unknown: unknownService,
};

/** One case per operation that is mounted, by the method's name; a test notices a missing one. */
export const operationCases: Readonly<Record<string, OperationCase>> = {
  StartSignIn: {
    happy: ({ user }) => ({ fields: { email: user.email } }),
    invalid: { fields: { email: "not an address" }, param: "email" },
  },
  FinishSignIn: {
    happy: async (world) => ({
      fields: { email: world.user.email, code: await mailedCode(world) },
    }),
    invalid: { fields: { code: "00000000" }, param: "code" },
  },
  SignOut: {
    happy: async ({ causeway, user }) => ({ fields: {}, token: await newSession(causeway, user) }),
  },
  GetMe: none,
  ListSessions: list,
  RevokeSession: {
    happy: async ({ causeway, user }) => {
      await newSession(causeway, user);
      const { body } = await causeway.call("GET", "/v1/sessions?limit=100", {
        token: user.session,
      });
      return { fields: { id: body.last_id } };
    },
    unknown: { id: "session_00000000000000000000000000" },
  },
  ListKeys: list,
  CreateKey: {
    happy: () => ({ fields: { name: "ci" } }),
    invalid: { fields: { scopes: ["gateway:invoke", "gateway:own"] }, param: "scopes[1]" },
  },
  UpdateKey: {
    happy: async ({ user }) => ({ fields: { id: (await user.createKey()).id, name: "renamed" } }),
    unknown: { id: unknownKey },
    invalid: { fields: { name: "" }, param: "name" },
  },
  RevokeKey: {
    happy: async ({ user }) => ({ fields: { id: (await user.createKey()).id } }),
    unknown: { id: unknownKey },
  },
  RotateKey: {
    happy: async ({ user }) => ({ fields: { id: (await user.createKey()).id } }),
    unknown: { id: unknownKey },
  },
  ListAudit: list,
  ListUpstreams: list,
  CreateUpstream: {
    happy: ({ upstreamUrl }) => ({ fields: newUpstream(upstreamUrl) }),
    invalid: { fields: { base_url: "http://169.254.169.254/v1" }, param: "base_url" },
  },
  UpdateUpstream: {
    happy: async (world) => ({ fields: { slug: await makeUpstream(world), label: "Renamed" } }),
    unknown: { slug: "nothing" },
    invalid: { fields: { label: " " }, param: "label" },
  },
  DeleteUpstream: {
    happy: async (world) => ({ fields: { slug: await makeUpstream(world) } }),
    unknown: { slug: "nothing" },
  },
  ProbeUpstream: {
    happy: async (world) => ({ fields: { slug: await makeUpstream(world) } }),
    unknown: { slug: "nothing" },
  },
  ListVendors: list,
  LinkVendor: {
    happy: () => ({ fields: { vendor: "acme", api_key: "sk-acme" } }),
    unknown: { vendor: "nobody" },
    invalid: { fields: { api_key: "" }, param: "api_key" },
  },
  UnlinkVendor: {
    happy: async ({ causeway, user }) => {
      const body = { api_key: "sk-acme" };
      await causeway.call("PUT", "/v1/vendors/acme/credential", { token: user.session, body });
      return { fields: { vendor: "acme" } };
    },
    unknown: { vendor: "nobody" },
  },
  ListAliases: none,
  SetAlias: {
    happy: () => ({ fields: { token: "mine", vendor: "acme" } }),
    unknown: "never",
    invalid: { fields: { vendor: "nobody" }, param: "vendor" },
  },
  DeleteAlias: { happy: () => ({ fields: { token: "none" } }), unknown: "never" },
  ListAliasChanges: { ...none, invalid: { fields: { after_rev: -1 }, param: "after_rev" } },
  ListModels: {
    happy: async ({ user }) => ({ fields: {}, token: (await user.createKey()).secret }),
  },
  GetModel: {
    happy: async ({ user }) => ({
      fields: { id: "agent" },
      token: (await user.createKey()).secret,
    }),
    unknown: { id: "acme/none" },
  },
  CountMessageTokens: {
    happy: async ({ user }) => ({
      token: (await user.createKey()).secret,
      fields: { body: { model: "m", messages: [] } },
    }),
  },
  ListThreads: {
    happy: async ({ user }) => ({ fields: {}, token: (await user.createKey()).secret }),
    invalid: { fields: { limit: 101 }, param: "limit" },
  },
  GetThread: {
    happy: async ({ causeway, user }) => ({
      fields: { session: await insertThread(causeway.connectionString, user.id) },
      token: (await user.createKey()).secret,
    }),
    unknown: { session: "nobody" },
  },
  DeleteThread: {
    happy: async ({ causeway, user }) => ({
      fields: { session: await insertThread(causeway.connectionString, user.id) },
      token: (await user.createKey()).secret,
    }),
    unknown: { session: "nobody" },
  },
  GetWallet: none,
  ListUsage: list,
  ListCalls: list,
  GetCall: {
    happy: async ({ user, writer }, keyId = unknownKey) => ({
      fields: { id: (await writer.keep({ accountId: user.id, keyId })).id },
    }),
    unknown: { id: "call_00000000000000000000000000" },
  },
  ListAdminCalls: list,
  AddUserCredits: {
    happy: ({ user }) => ({ fields: { user_id: user.id, amount_usd: 1 } }),
    unknown: unknownUser,
    invalid: { fields: { amount_usd: 0 }, param: "amount_usd" },
  },
  AddTeamCredits: {
    happy: async ({ causeway, user }) => {
      const { session: token } = user;
      const { body } = await causeway.call("POST", "/v1/teams", { token, body: { name: "Paid" } });
      return { fields: { team_id: body.id, amount_usd: 1 } };
    },
    unknown: { team_id: unknownTeam },
    invalid: { fields: { amount_usd: -1 }, param: "amount_usd" },
  },
  PreviewTranscode: {
    happy: async ({ user }) => ({
      token: (await user.createKey()).secret,
      fields: {
        from: "messages",
        to: "dialect_chat",
        body: { model: "m", max_tokens: 5, messages: [{ role: "user", content: "hi" }] },
      },
    }),
    invalid: { fields: { body: { model: "m", messages: 1 } }, param: "messages" },
  },
  ListItems: list,
  CreateItem: {
    happy: () => ({ fields: { kind: "rules", text: "Be brief." } }),
    invalid: { fields: { kind: "mcp" }, param: "text" },
  },
  UpdateItem: {
    happy: async (world) => ({ fields: { id: await makeItem(world), text: "Be exact." } }),
    unknown: { id: unknownItem },
    invalid: { fields: { text: "" }, param: "text" },
  },
  DeleteItem: {
    happy: async (world) => ({ fields: { id: await makeItem(world) } }),
    unknown: { id: unknownItem },
  },
  ListTeamItems: {
    happy: async (world) => ({ fields: { team_id: await teamOf(world) } }),
    unknown: { team_id: unknownTeam },
    invalid: { fields: { limit: 101 }, param: "limit" },
  },
  PoolItem: {
    happy: async (world) => ({
      fields: { team_id: await teamOf(world), item_id: await makeItem(world) },
    }),
    unknown: { item_id: unknownItem },
  },
  UnpoolItem: {
    happy: async (world) => {
      const [team, item] = [await teamOf(world), await makeItem(world)];
      const { session: token } = world.user;
      await world.causeway.call("PUT", `/v1/teams/${team}/items/${item}`, { token });
      return { fields: { team_id: team, item_id: item } };
    },
    unknown: { item_id: unknownItem },
  },
  CreateUser: {
    happy: () => ({ fields: { email: `${randomBytes(6).toString("hex")}@example.org` } }),
    invalid: { fields: { email: "a,b@example.org" }, param: "email" },
  },
  ListUsers: list,
  UpdateUser: {
    happy: async ({ causeway }) => ({
      fields: { user_id: (await causeway.createUser()).id, disabled: true },
    }),
    unknown: unknownUser,
  },
  DeleteUser: {
    happy: async ({ causeway }) => ({ fields: { user_id: (await causeway.createUser()).id } }),
    unknown: unknownUser,
  },
  CreateUserKey: {
    happy: ({ user }) => ({ fields: { user_id: user.id, name: "ci" } }),
    unknown: unknownUser,
    invalid: { fields: { route: "free" }, param: "route" },
  },
  ListUserKeys: {
    happy: ({ user }) => ({ fields: { user_id: user.id } }),
    unknown: unknownUser,
    invalid: { fields: { limit: 0 }, param: "limit" },
  },
  RevokeUserKey: {
    happy: async ({ user }) => ({ fields: { user_id: user.id, id: (await user.createKey()).id } }),
    unknown: { id: unknownKey },
  },
  CreateUserSession: {
    happy: ({ user }) => ({ fields: { user_id: user.id } }),
    unknown: unknownUser,
  },
  ListAdminAudit: list,
  ...teamOperationCases,
  LearnService: {
    happy: () => ({ fields: { service_id: "crm", capture: harOf([]) } }),
    unknown: "never",
    invalid: { fields: { service_id: "CRM" }, param: "service_id" },
  },
  ListServices: list,
  GetService: learnedServiceCase,
  DeleteService: learnedServiceCase,
  ShipService: {
    happy: async (world) => ({ fields: { ...(await learnedService(world)), ...shipment } }),
    unknown: unknownService,
    invalid: { fields: { base_url: "ftp://crm.test" }, param: "base_url" },
  },
  UnshipService: learnedServiceCase,
  GetServiceDocument: {
    happy: async (world) => {
      const fields = await learnedService(world);
      const path = `/v1/admin/services/${fields.service_id}/ship`;
      await world.causeway.call("POST", path, {
        token: world.causeway.adminToken,
        body: shipment,
      });
      return { fields };
    },
    unknown: unknownService,
  },
  PackageHealth: {
    happy: () => ({ fields: { ecosystem: "npm", name: "left", task_context: "Choosing" } }),
    invalid: { fields: { ecosystem: "NPM" }, param: "ecosystem" },
  },
  DepsAudit: {
    happy: () => ({
      fields: { packages: [{ ecosystem: "npm", name: "left" }], task_context: "Auditing" },
    }),
    invalid: { fields: { packages: [{ ecosystem: "npm", name: "" }] }, param: "packages[0].name" },
  },
  RuntimeEol: {
    happy: () => ({ fields: { product: "node", cycle: "24", task_context: "Upgrading" } }),
    unknown: { product: "nodule" },
    invalid: { fields: { task_context: "" }, param: "task_context" },
  },
  ListTaskContexts: list,
};

function newUpstream(upstreamUrl: string): Record<string, unknown> {
  return { label: "Local", base_url: upstreamUrl, api_key: "sk-local" };
}

/** Names a service that something was learned of. */
async function learnedService({ causeway }: CaseWorld): Promise<{ service_id: string }> {
  const body = harOf([{ url: "https://crm.test/v1/customers" }]);
  const { call, adminToken } = causeway;
  await call("POST", "/v1/admin/services/crm/traffic", { token: adminToken, body });
  return { service_id: "crm" };
}

async function makeUpstream({ causeway, user, upstreamUrl }: CaseWorld): Promise<string> {
  const answer = await causeway.call("POST", "/v1/upstreams", {
    token: user.session,
    body: newUpstream(upstreamUrl),
  });
  return answer.body.upstream.slug as string;
}

async function makeItem({ causeway, user }: CaseWorld): Promise<string> {
  const body = { kind: "rules", text: "Be brief." };
  const answer = await causeway.call("POST", "/v1/items", { token: user.session, body });
  return answer.body.id as string;
}

/** A team whose one owner is the user. */
function teamOf({ causeway, user }: CaseWorld): Promise<string> {
  return insertTeam(causeway.connectionString, [{ userId: user.id, role: "owner" }]);
}

async function newSession({ call, adminToken }: TestInstance, { id }: TestUser): Promise<string> {
  const answer = await call("POST", `/v1/admin/users/${id}/sessions`, { token: adminToken });
  return answer.body.token as string;
}

/** Asks for a code and reads it in the newest message of the outbox. */
async function mailedCode({ causeway, user }: CaseWorld): Promise<string> {
  const outbox = join(causeway.dataDirectory, "outbox");
  const messages = async () =>
    (await readdir(outbox).catch((): string[] => []))
      .filter((name) => name.endsWith(".eml"))
      .toSorted();
  const before = (await messages()).length;
  await causeway.call("POST", "/v1/sign_in", { body: { email: user.email } });
  await waitUntil(async () => (await messages()).length > before);
  const newest = (await messages()).at(-1) ?? "";
  const text = await readFile(join(outbox, newest), "utf8");
  return /^\d{8}$/m.exec(text)?.[0] ?? "";
}
