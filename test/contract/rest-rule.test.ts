import { describe, expect, it } from "vitest";
import { AccountService } from "../../gen/ts/causeway/account/v1/account_pb.ts";
import { AliasService } from "../../gen/ts/causeway/alias/v1/alias_pb.ts";
import { DocumentService } from "../../gen/ts/causeway/document/v1/document_pb.ts";
import { ModelService } from "../../gen/ts/causeway/model/v1/model_pb.ts";
import { TeamService } from "../../gen/ts/causeway/team/v1/team_pb.ts";
import { UpstreamService } from "../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { methodPolicy } from "../../src/contract/method-policy.ts";
import { restRules } from "../../src/contract/rest-rule.ts";

describe("restRules()", () => {
  it("reads method, path, body and status", () => {
    expect(restRules(TeamService.method.updateTeamMember)).toMatchObject([
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
    expect(restRules(AliasService.method.listAliases)).toMatchObject([{ responseBody: "aliases" }]);
    expect(restRules(DocumentService.method.learnService)).toMatchObject([
      { body: "capture", takesBytes: true },
    ]);
    expect(restRules(UpstreamService.method.deleteUpstream)).toMatchObject([
      { body: undefined, successStatus: 204 },
    ]);
  });

  it("reads a field that takes the rest of the path", () => {
    expect(restRules(ModelService.method.getModel)).toMatchObject([
      {
        template: "/v1/models/{id}",
        route: "/v1/models/*",
        pathFields: ["id"],
        restField: "id",
      },
    ]);
  });

  it("has none for streams", () => {
    expect(restRules(AliasService.method.watchAliases)).toEqual([]);
  });
});

describe("methodPolicy()", () => {
  it("reads credentials, scope, idempotency and body size", () => {
    expect(methodPolicy(UpstreamService.method.createUpstream)).toEqual({
      credentials: ["key", "session"],
      scope: "endpoints:write",
      idempotent: true,
      successStatus: 201,
      largeBody: false,
      personOnly: false,
    });
    expect(methodPolicy(AccountService.method.startSignIn)).toMatchObject({
      credentials: [],
      scope: undefined,
    });
    expect(methodPolicy(DocumentService.method.learnService)).toMatchObject({ largeBody: true });
  });
});
