import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { AccountService } from "../../../gen/ts/causeway/account/v1/account_pb.ts";
import {
  BudgetWindow,
  CreateKeyRequestSchema,
  KeyRoute,
  UpdateKeyRequestSchema,
} from "../../../gen/ts/causeway/account/v1/key_pb.ts";
import { DepshealthService } from "../../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import { DocumentService } from "../../../gen/ts/causeway/document/v1/document_pb.ts";
import { ModelService } from "../../../gen/ts/causeway/model/v1/model_pb.ts";
import { Scope } from "../../../gen/ts/causeway/options/v1/options_pb.ts";
import { TeamService } from "../../../gen/ts/causeway/team/v1/team_pb.ts";
import { UpstreamService } from "../../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { VendorService } from "../../../gen/ts/causeway/vendor/v1/vendor_pb.ts";
import { ApiError } from "../../../src/platform/errors.ts";
import { compileRequestBinder, type RestRequestInput } from "../../../src/transport/rest/bind.ts";
import { readRestRules } from "../../../src/contract/rest-rule.ts";

function bind(method: DescMethod, input: Partial<RestRequestInput>): Message {
  const [rule] = readRestRules(method);
  if (rule === undefined) throw new Error(`${method.name} has no REST route`);
  return compileRequestBinder(rule)({ params: {}, query: {}, body: undefined, ...input });
}

function refusal(method: DescMethod, input: Partial<RestRequestInput>): ApiError {
  try {
    bind(method, input);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("the request was not refused");
}

describe("compileRequestBinder() with a body", () => {
  const { createKey } = AccountService.method;

  it("reads scalars, enums by their REST spelling, lists, messages and times", () => {
    const body = {
      name: "ci",
      scopes: ["teams:read", "gateway:invoke"],
      route: "byo",
      budget: { limit_usd: 1.5, window: "month" },
      expires_at: "2026-11-20T23:00:00.25+02:00",
    };
    expect(bind(createKey, { body })).toEqual(
      create(CreateKeyRequestSchema, {
        name: "ci",
        scopes: [Scope.TEAMS_READ, Scope.GATEWAY_INVOKE],
        scopesGiven: true,
        route: KeyRoute.BYO,
        budget: { limitUsd: 1.5, window: BudgetWindow.MONTH },
        expiresAt: timestampFromDate(new Date("2026-11-20T21:00:00.250Z")),
      }),
    );
  });

  it("vouches for a list that was sent, empty or not, and for no other", () => {
    expect(bind(createKey, { body: { scopes: [] } })).toMatchObject({ scopesGiven: true });
    expect(bind(createKey, { body: {} })).toMatchObject({ scopesGiven: false });
  });

  it("takes an absent body for an empty object", () => {
    expect(bind(createKey, {})).toEqual(create(CreateKeyRequestSchema));
    expect(refusal(TeamService.method.createTeam, {}).param).toBe("name");
  });

  it("reads a body that is one field", () => {
    const input = { params: { vendor: "x" }, body: { log: { entries: [1, null] } } };
    expect(bind(ModelService.method.countMessageTokens, input)).toMatchObject({
      body: { log: { entries: [1, null] } },
    });
    expect(refusal(ModelService.method.countMessageTokens, { body: [] })).toMatchObject({
      code: "invalid_request",
      param: undefined,
    });
  });

  it("leaves a body unread that is a field of bytes", () => {
    const body = new TextEncoder().encode("{ not JSON");
    const { learnService } = DocumentService.method;
    expect(bind(learnService, { params: { service_id: "crm" }, body })).toMatchObject({
      serviceId: "crm",
      capture: { data: body },
    });
    expect(refusal(learnService, { params: { service_id: "crm" } }).message).toMatch(/needs/);
  });

  it("keeps a map key `__proto__` a key like any other", () => {
    const headers: unknown = JSON.parse('{"__proto__": "x", "constructor": "y"}');
    const body = { label: "l", base_url: "u", api_key: "k", headers };
    const message = bind(UpstreamService.method.createUpstream, { body });
    expect(Object.entries((message as unknown as { headers: object }).headers)).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  it.each<[body: unknown, param: string | undefined]>([
    [{ nme: "x" }, "nme"],
    [{ allowedModels: [] }, "allowedModels"],
    [{ scopes_given: true }, "scopes_given"],
    [JSON.parse('{"__proto__": {}}'), "__proto__"],
    [{ constructor: 1 }, "constructor"],
    [{ name: 7 }, "name"],
    [{ name: null }, "name"],
    [{ budget: null }, "budget"],
    [{ budget: [] }, "budget"],
    [{ budget: { limit_usd: "1", window: "day" } }, "budget.limit_usd"],
    [{ budget: { limit_usd: Number.POSITIVE_INFINITY, window: "day" } }, "budget.limit_usd"],
    [{ budget: { limit_usd: 1, window: "week" } }, "budget.window"],
    [{ budget: { limit_usd: 1, window: "unspecified" } }, "budget.window"],
    [{ budget: { limit_usd: 1, window: 1 } }, "budget.window"],
    [{ budget: { limit_usd: 1, window: "day", spent_usd: 0 } }, "budget.spent_usd"],
    [{ budget: { limit_usd: 1 } }, "budget.window"],
    [{ rate_limit: { requests_per_minute: 1.5, burst: 1 } }, "rate_limit.requests_per_minute"],
    [{ rate_limit: { requests_per_minute: 2 ** 31, burst: 1 } }, "rate_limit.requests_per_minute"],
    [{ rate_limit: { requests_per_minute: true, burst: 1 } }, "rate_limit.requests_per_minute"],
    [{ scopes: "teams:read" }, "scopes"],
    [{ scopes: {} }, "scopes"],
    [{ scopes: ["teams:read", "SCOPE_TEAMS_READ"] }, "scopes[1]"],
    [{ scopes: ["TEAMS:READ"] }, "scopes[0]"],
    [{ scopes: [null] }, "scopes[0]"],
    [{ allowed_models: ["a", 1] }, "allowed_models[1]"],
    [{ route: "KEY_ROUTE_BYO" }, "route"],
    [{ route: "BYO" }, "route"],
    [{ route: "" }, "route"],
    [{ expires_at: 1 }, "expires_at"],
    [{ expires_at: "2026-11-20" }, "expires_at"],
    [{ expires_at: "2026-11-20T23:00:00" }, "expires_at"],
    [{ expires_at: "2026-02-30T00:00:00Z" }, "expires_at"],
    [{ expires_at: "2026-01-00T00:00:00Z" }, "expires_at"],
    [{ expires_at: "2026-13-01T00:00:00Z" }, "expires_at"],
    [{ expires_at: "2026-11-20T24:00:00Z" }, "expires_at"],
    [{ expires_at: "0000-01-01T00:00:00Z" }, "expires_at"],
    [{ expires_at: "2026-11-20T23:00:00.0000000001Z" }, "expires_at"],
    ["text", undefined],
    [[], undefined],
    [null, undefined],
  ])("refuses the body %j and names %s", (body, param) => {
    expect(refusal(createKey, { body })).toMatchObject({
      code: "invalid_request",
      status: 400,
      param,
    });
  });

  it("[input.param] names the item of a list of messages", () => {
    const body = {
      packages: [
        { ecosystem: "npm", name: "a" },
        { ecosystem: "npm", name: "a", kind: 1 },
      ],
    };
    expect(refusal(DepshealthService.method.depsAudit, { body }).param).toBe("packages[1].kind");
  });

  it("names the value of a map", () => {
    const body = { label: "l", base_url: "u", api_key: "k", headers: { "x-tenant": 1 } };
    expect(refusal(UpstreamService.method.createUpstream, { body }).param).toBe("headers.x-tenant");
  });

  it("refuses two members of a oneof, naming the second", () => {
    const { linkVendor } = VendorService.method;
    const params = { vendor: "acme" };
    const login = { access_token: "t" };
    expect(bind(linkVendor, { params, body: { login } })).toMatchObject({
      credential: { case: "login", value: { accessToken: "t" } },
    });
    expect(refusal(linkVendor, { params, body: { api_key: "k", login } }).param).toBe("login");
    expect(refusal(linkVendor, { params, body: { login: { access_token: 1 } } }).param).toBe(
      "login.access_token",
    );
  });

  it("refuses a field that the path binds", () => {
    const input = { params: { team_id: "team_1" }, body: { team_id: "team_2" } };
    expect(refusal(TeamService.method.updateTeam, input).param).toBe("team_id");
  });
});

describe("compileRequestBinder() of a PATCH", () => {
  const { updateKey } = AccountService.method;
  const params = { id: "key_1" };

  it("fills the field mask with the members of the body", () => {
    const body = { name: "n", scopes: [], expires_at: null };
    expect(bind(updateKey, { params, body })).toEqual(
      create(UpdateKeyRequestSchema, {
        id: "key_1",
        name: "n",
        updateMask: { paths: ["name", "scopes", "expires_at"] },
      }),
    );
  });

  it("changes nothing for an empty object, and needs one", () => {
    expect(bind(updateKey, { params, body: {} })).toMatchObject({ updateMask: { paths: [] } });
    expect(refusal(updateKey, { params })).toMatchObject({
      message: "The request needs a JSON body.",
    });
  });

  it.each<[body: unknown, param: string | undefined]>([
    [{ name: null }, "name"],
    [{ scopes: null }, "scopes"],
    [{ update_mask: "name" }, "update_mask"],
    [{ id: "key_2" }, "id"],
    [{ budget: { limit_usd: null, window: "day" } }, "budget.limit_usd"],
    [[], undefined],
  ])("refuses the body %j and names %s", (body, param) => {
    expect(refusal(updateKey, { params, body })).toMatchObject({ code: "invalid_request", param });
  });

  it("takes an inner object whole, with all its required members", () => {
    const { updateTeam } = TeamService.method;
    const input = { params: { team_id: "team_1" }, body: { share_defaults: { mcp: true } } };
    expect(refusal(updateTeam, input).param).toBe("share_defaults.rules");
    const wrong = { params: { team_id: "team_1" }, body: { share_defaults: { mcp: "yes" } } };
    expect(refusal(updateTeam, wrong).param).toBe("share_defaults.mcp");
  });
});

describe("compileRequestBinder() of path and query", () => {
  const { listKeys, revokeKey } = AccountService.method;

  it("binds the path", () => {
    expect(bind(revokeKey, { params: { id: "key/ä" } })).toMatchObject({ id: "key/ä" });
  });

  it("reads known parameters and ignores unknown ones", () => {
    const query = { limit: "7", after_id: "key_1", afterId: "x", utm: ["a", "b"] };
    expect(bind(listKeys, { query })).toMatchObject({ limit: 7, afterId: "key_1" });
  });

  it.each<[query: Record<string, unknown>, param: string]>([
    [{ limit: "abc" }, "limit"],
    [{ limit: "" }, "limit"],
    [{ limit: "1.5" }, "limit"],
    [{ limit: "1e1" }, "limit"],
    [{ limit: "0x10" }, "limit"],
    [{ limit: "99999999999" }, "limit"],
    [{ limit: ["1", "1"] }, "limit"],
    [{ after_id: ["a", "b"] }, "after_id"],
  ])("refuses the query %j and names %s", (query, param) => {
    expect(refusal(listKeys, { query })).toMatchObject({ code: "invalid_request", param });
  });
});
