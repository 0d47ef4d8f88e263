import { create, type MessageInitShape, type DescMessage } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import {
  KeyMode,
  KeyRoute,
  KeySchema,
  ListKeysResponseSchema,
} from "../../../gen/ts/causeway/account/v1/key_pb.ts";
import { AuditEventSchema } from "../../../gen/ts/causeway/audit/v1/audit_pb.ts";
import { PackageHealthReportSchema } from "../../../gen/ts/causeway/depshealth/v1/package_health_pb.ts";
import { DialectChoice } from "../../../gen/ts/causeway/dialect/v1/dialect_pb.ts";
import { LearnedServiceSchema } from "../../../gen/ts/causeway/document/v1/document_pb.ts";
import { Scope } from "../../../gen/ts/causeway/options/v1/options_pb.ts";
import {
  CreateUpstreamRequestSchema,
  UpstreamSchema,
} from "../../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { compileProtoJsonEncoder } from "../../../src/contract/json/encode-message.ts";

function encode<Desc extends DescMessage>(desc: Desc, init: MessageInitShape<Desc>): unknown {
  return compileProtoJsonEncoder(desc)(create(desc, init));
}

describe("messageEncoder()", () => {
  it("[identity.timestamps] prints snake_case names, REST spellings and times with milliseconds", () => {
    const key = {
      id: "key_1",
      name: "ci",
      prefix: "cwk_abcdef",
      owner: { case: "teamId" as const, value: "team_1" },
      scopes: [Scope.TEAMS_READ],
      route: KeyRoute.AUTO,
      mode: KeyMode.MODEL,
      createdAt: timestampFromDate(new Date("2026-11-20T23:00:00Z")),
    };
    expect(encode(KeySchema, key)).toEqual({
      id: "key_1",
      object: "key",
      name: "ci",
      prefix: "cwk_abcdef",
      team_id: "team_1",
      scopes: ["teams:read"],
      route: "auto",
      mode: "model",
      allowed_models: [],
      tags: {},
      budget: null,
      rate_limit: null,
      expires_at: null,
      last_used_at: null,
      created_at: "2026-11-20T23:00:00.000Z",
      revoked_at: null,
    });
  });

  it("prints false, empty lists and null cursors of an empty page", () => {
    expect(encode(ListKeysResponseSchema, {})).toEqual({
      object: "list",
      data: [],
      has_more: false,
      first_id: null,
      last_id: null,
    });
  });

  it("leaves out empty maps that are optional, and what is not said", () => {
    expect(encode(UpstreamSchema, { slug: "a", label: "A", baseUrl: "https://a.test" })).toEqual({
      slug: "a",
      label: "A",
      base_url: "https://a.test",
      models: [],
    });
    expect(encode(UpstreamSchema, { headers: { "x-a": "1" } })).toMatchObject({
      headers: { "x-a": "1" },
    });
  });

  it.each([
    [{}, null],
    [{ advisoriesKnown: true }, []],
    [{ advisories: [{ id: "GHSA-1" }] }, [expect.objectContaining({ id: "GHSA-1" })]],
  ])("prints an empty list as null unless its boolean vouches for it: %j", (init, advisories) => {
    const report = encode(PackageHealthReportSchema, init);
    expect(report).toMatchObject({ advisories });
    expect(report).not.toHaveProperty("advisories_known");
  });

  it("prints an explicit spelling of an enum value", () => {
    const dialect = DialectChoice.CHAT;
    expect(encode(CreateUpstreamRequestSchema, { dialect })).toMatchObject({
      dialect: "dialect_chat",
    });
  });

  it("prints 64-bit integers as numbers", () => {
    expect(encode(LearnedServiceSchema, { captures: 3n, observations: 2n ** 40n })).toMatchObject({
      captures: 3,
      observations: 1_099_511_627_776,
    });
  });

  it("[operations.foreign-json] prints foreign JSON as it is", () => {
    const after = { __proto__: null, name: "n", list: [1, null, { deep: true }] };
    expect(encode(AuditEventSchema, { after })).toMatchObject({ before: null, after });
  });
});
