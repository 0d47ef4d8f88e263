import { callerKeyScopes } from "../../../src/platform/principal.ts";
import { createUser, type RestCall } from "../../support/rest-client.ts";
import type { DialectName } from "../dialects/all-samples.ts";

/** What there is in the server for cases to name: live credentials and things that exist. */
export interface World {
  /** Key of a user whose account no case changes: its calls reach the upstream double. */
  readonly callerKey: string;
  /** Key, session and things of a user to whom cases do what they like. */
  readonly key: string;
  readonly session: string;
  readonly operator: string;
  readonly origin: string;
  /** A model of a vendor that speaks this dialect. */
  readonly modelOf: Readonly<Record<DialectName, string>>;
  /** Further names of models that are served. */
  readonly models: readonly string[];
  /** By the name of the request field that names them. */
  readonly things: Readonly<Record<string, readonly string[]>>;
}

/** Vendors of the configuration file, one for each dialect, all at the upstream double. */
export const vendorOf: Readonly<Record<DialectName, string>> = {
  dialect_chat: "fuzzchat",
  dialect_messages: "fuzzmessages",
  dialect_responses: "fuzzresponses",
};

/** Makes a user who calls models, and one with one of everything else. */
export async function makeWorld(
  call: RestCall,
  operator: string,
  upstreamOrigin: string,
): Promise<World> {
  const user = await createUser(call, operator);
  const caller = await createUser(call, operator);
  const slug = await makeCaller(call, caller.session, upstreamOrigin);
  return {
    callerKey: (await caller.createKey()).secret,
    key: (await user.createKey({ scopes: [...callerKeyScopes] })).secret,
    session: user.session,
    operator,
    origin: upstreamOrigin,
    modelOf: {
      dialect_chat: `${vendorOf.dialect_chat}/m`,
      dialect_messages: `${vendorOf.dialect_messages}/m`,
      dialect_responses: `${vendorOf.dialect_responses}/m`,
    },
    models: [`custom/${slug}/m`, "@fuzz"],
    things: await makeThings(call, user.session, operator, upstreamOrigin),
  };
}

/** Links all vendors, registers an endpoint and names a model. Resolves with the endpoint's slug. */
async function makeCaller(call: RestCall, token: string, upstreamOrigin: string): Promise<string> {
  for (const vendor of Object.values(vendorOf)) {
    await make(call, token, "PUT", `/v1/vendors/${vendor}/credential`, { api_key: "sk-fuzz" });
  }
  const alias = { vendor: vendorOf.dialect_chat, model_id: "m" };
  await make(call, token, "PUT", "/v1/aliases/fuzz", alias);
  return makeEndpoint(call, token, upstreamOrigin);
}

async function makeEndpoint(call: RestCall, token: string, origin: string): Promise<string> {
  const fields = { label: "Fuzz", base_url: `${origin}/v1`, api_key: "sk-fuzz", models: ["m"] };
  const { upstream } = await make(call, token, "POST", "/v1/upstreams", fields);
  return upstream.slug;
}

async function makeThings(
  call: RestCall,
  token: string,
  operator: string,
  upstreamOrigin: string,
): Promise<World["things"]> {
  const spare = await createUser(call, operator);
  const spareKey = await spare.createKey();
  const item = await make(call, token, "POST", "/v1/items", { kind: "rules", text: "Be brief." });
  const team = await make(call, token, "POST", "/v1/teams", { name: "Fuzz" });
  const invite = { email: spare.email };
  const { code } = await make(call, token, "POST", `/v1/teams/${team.id}/invites`, invite);
  return {
    id: [item.id, spareKey.id, "key_00000000000000000000000000"],
    item_id: [item.id],
    team_id: [team.id],
    user_id: [spare.id],
    slug: [await makeEndpoint(call, token, upstreamOrigin)],
    vendor: Object.values(vendorOf),
    token: ["fuzz"],
    code: [code],
    email: [spare.email],
  };
}

async function make(call: RestCall, token: string, method: string, path: string, body: object) {
  const answer = await call(method, path, { token, body });
  if (answer.status < 300) return answer.body;
  throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
}
