import { describe, expect, it } from "vitest";
import { AccountService } from "../../gen/ts/causeway/account/v1/account_pb.ts";
import { AliasService } from "../../gen/ts/causeway/alias/v1/alias_pb.ts";
import { DocumentService } from "../../gen/ts/causeway/document/v1/document_pb.ts";
import { ModelService } from "../../gen/ts/causeway/model/v1/model_pb.ts";
import { TeamService } from "../../gen/ts/causeway/team/v1/team_pb.ts";
import { UpstreamService } from "../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { readMethodPolicy } from "../../src/contract/method-policy.ts";
import { readRestRules } from "../../src/contract/rest-rule.ts";

describe("readRestRules()", () => {
  it("reads method, path, body and status", () => {
    expect(readRestRules(TeamService.method.updateTeamMember)).toMatchObject([
      {
        httpMethod: "PATCH",
        template: "/v1/teams/{team_id}/members/{user_id}",
        route: "/v1/teams/:team_id/members/:user_id",
        pathFields: ["team_id", "user_id"],
        body: "*",
        responseBody: undefined,
        successStatus: 200,
      },
    ]);
    expect(readRestRules(AliasService.method.listAliases)).toMatchObject([
      { responseBody: "aliases" },
    ]);
    expect(readRestRules(DocumentService.method.learnService)).toMatchObject([
      { body: "capture", takesBytes: true },
    ]);
    expect(readRestRules(UpstreamService.method.deleteUpstream)).toMatchObject([
      { body: undefined, successStatus: 204 },
    ]);
  });

  it("reads a field that takes the rest of the path", () => {
    expect(readRestRules(ModelService.method.getModel)).toMatchObject([
      {
        template: "/v1/models/{id}",
        route: "/v1/models/*",
        pathFields: ["id"],
        restField: "id",
      },
    ]);
  });

  it("has none for streams", () => {
    expect(readRestRules(AliasService.method.watchAliases)).toEqual([]);
  });
});

describe("readMethodPolicy()", () => {
  it("reads credentials, scope, idempotency and body size", () => {
    expect(readMethodPolicy(UpstreamService.method.createUpstream)).toEqual({
      credentials: ["key", "session"],
      scope: "endpoints:write",
      idempotent: true,
      successStatus: 201,
      largeBody: false,
      personOnly: false,
    });
    expect(readMethodPolicy(AccountService.method.startSignIn)).toMatchObject({
      credentials: [],
      scope: undefined,
    });
    expect(readMethodPolicy(DocumentService.method.learnService)).toMatchObject({
      largeBody: true,
    });
  });
});
