/**
 * The lengths, ranges and patterns of docs/contract.md, tried on both sides of each limit. A row is a request that passes, or one that is
 * refused and the field that is to blame.
 */
import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { pathToString } from "@bufbuild/protobuf/reflect";
import { createValidator } from "@bufbuild/protovalidate";
import { describe, expect, it } from "vitest";
import {
  FinishSignInRequestSchema,
  ListKeysRequestSchema,
  StartSignInRequestSchema,
} from "../../gen/ts/causeway/account/v1/account_pb.ts";
import {
  BudgetWindow,
  CreateKeyRequestSchema,
  UpdateKeyRequestSchema,
} from "../../gen/ts/causeway/account/v1/key_pb.ts";
import { CreateUserRequestSchema } from "../../gen/ts/causeway/admin/v1/admin_pb.ts";
import { SetAliasRequestSchema } from "../../gen/ts/causeway/alias/v1/alias_pb.ts";
import { DepsAuditRequestSchema } from "../../gen/ts/causeway/depshealth/v1/deps_audit_pb.ts";
import {
  Ecosystem,
  PackageHealthRequestSchema,
} from "../../gen/ts/causeway/depshealth/v1/package_health_pb.ts";
import { RuntimeEolRequestSchema } from "../../gen/ts/causeway/depshealth/v1/runtime_eol_pb.ts";
import { Dialect } from "../../gen/ts/causeway/dialect/v1/dialect_pb.ts";
import { Scope } from "../../gen/ts/causeway/options/v1/options_pb.ts";
import { UpdateTeamMemberRequestSchema } from "../../gen/ts/causeway/team/v1/member_pb.ts";
import { CreateTeamRequestSchema } from "../../gen/ts/causeway/team/v1/team_pb.ts";
import {
  CreateUpstreamRequestSchema,
  UpdateUpstreamRequestSchema,
} from "../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { LinkVendorRequestSchema } from "../../gen/ts/causeway/vendor/v1/vendor_pb.ts";
import {
  AddUserCreditsRequestSchema,
  ListUsageRequestSchema,
} from "../../gen/ts/causeway/wallet/v1/wallet_pb.ts";

const validator = createValidator();
/** One code point, two UTF-16 code units: lengths count code points. */
const wide = "😀";
const endpoint = { label: "local", baseUrl: "http://127.0.0.1:9/v1", apiKey: "k" };
const asked = { ecosystem: Ecosystem.NPM, name: "left-pad", taskContext: "choosing" };
const rateLimit = { requestsPerMinute: 1, burst: 1 };

describe("[length.names] names and labels have 1 to 200 code points", () => {
  passes(CreateTeamRequestSchema, { name: wide.repeat(200) });
  refuses(CreateTeamRequestSchema, { name: wide.repeat(201) }, "name");
  refuses(CreateTeamRequestSchema, { name: "" }, "name");
  refuses(CreateKeyRequestSchema, { name: "" }, "name");
  refuses(CreateUpstreamRequestSchema, { ...endpoint, label: wide.repeat(201) }, "label");
});

describe("an e-mail address is one address", () => {
  passes(StartSignInRequestSchema, { email: "owner@localhost" });
  passes(CreateUserRequestSchema, { email: "jörg.o'neil+x@bücher.example" });
  refuses(StartSignInRequestSchema, { email: "" }, "email");
  refuses(StartSignInRequestSchema, { email: "a@b, c@d" }, "email");
  refuses(StartSignInRequestSchema, { email: "A <a@b>" }, "email");
  refuses(StartSignInRequestSchema, { email: "a@b\r\nbcc: c@d" }, "email");
  refuses(StartSignInRequestSchema, { email: `${"a".repeat(254)}@b` }, "email");
  refuses(FinishSignInRequestSchema, { email: "a@b" }, "code");
});

describe("a page has 1 to 100 rows", () => {
  passes(ListKeysRequestSchema, {});
  passes(ListKeysRequestSchema, { limit: 100 });
  refuses(ListKeysRequestSchema, { limit: 0 }, "limit");
  refuses(ListKeysRequestSchema, { limit: 101 }, "limit");
});

describe("a key", () => {
  passes(CreateKeyRequestSchema, {});
  passes(CreateKeyRequestSchema, { budget: { limitUsd: 0, window: BudgetWindow.DAY }, rateLimit });
  passes(UpdateKeyRequestSchema, { id: "key_1", scopes: [Scope.TEAMS_READ] });
  refuses(CreateKeyRequestSchema, { scopes: [Scope.UNSPECIFIED] }, "scopes[0]");
  refuses(CreateKeyRequestSchema, { budget: { window: BudgetWindow.DAY } }, "budget.limit_usd");
  refuses(CreateKeyRequestSchema, { budget: { limitUsd: 1 } }, "budget.window");
  refuses(
    CreateKeyRequestSchema,
    { budget: { limitUsd: -1, window: BudgetWindow.DAY } },
    "budget.limit_usd",
  );
  refuses(CreateKeyRequestSchema, { rateLimit: { burst: 1 } }, "rate_limit.requests_per_minute");
  passes(CreateKeyRequestSchema, { rateLimit: { ...rateLimit, concurrentRequests: 1 } });
  refuses(
    CreateKeyRequestSchema,
    { rateLimit: { ...rateLimit, concurrentRequests: 0 } },
    "rate_limit.concurrent_requests",
  );
  refuses(CreateKeyRequestSchema, { allowedModels: ["a", ""] }, "allowed_models[1]");
  refuses(
    CreateKeyRequestSchema,
    { allowedModels: ["*".repeat(8), "*".repeat(9)] },
    "allowed_models[1]",
  );
});

describe("[length.base-url] [length.api-key] an endpoint", () => {
  passes(CreateUpstreamRequestSchema, { ...endpoint, headers: { "x-a": "b\tc" }, models: ["m"] });
  passes(CreateUpstreamRequestSchema, { ...endpoint, apiKey: "k".repeat(4096) });
  refuses(CreateUpstreamRequestSchema, { ...endpoint, apiKey: "k".repeat(4097) }, "api_key");
  refuses(CreateUpstreamRequestSchema, { ...endpoint, apiKey: "k\n" }, "api_key");
  refuses(CreateUpstreamRequestSchema, { ...endpoint, apiKey: "" }, "api_key");
  refuses(CreateUpstreamRequestSchema, { ...endpoint, baseUrl: "h".repeat(2049) }, "base_url");
  refuses(
    CreateUpstreamRequestSchema,
    { ...endpoint, headers: { "x-a": "b".repeat(4097) } },
    'headers["x-a"]',
  );
  refuses(CreateUpstreamRequestSchema, { ...endpoint, headers: { "x a": "b" } }, 'headers["x a"]');
  refuses(CreateUpstreamRequestSchema, { ...endpoint, headers: { a: "b\n" } }, 'headers["a"]');
  refuses(CreateUpstreamRequestSchema, { ...endpoint, headers: numbered(21) }, "headers");
  passes(UpdateUpstreamRequestSchema, { slug: "a", dialect: Dialect.MESSAGES });
  passes(UpdateUpstreamRequestSchema, { slug: "a", dialect: Dialect.RESPONSES });
  refuses(UpdateUpstreamRequestSchema, { slug: "a", dialect: Dialect.UNSPECIFIED }, "dialect");
});

describe("[length.api-key] a vendor credential", () => {
  passes(LinkVendorRequestSchema, { credential: { case: "apiKey", value: "k" } });
  refuses(LinkVendorRequestSchema, { credential: { case: "apiKey", value: "" } }, "api_key");
  refuses(
    LinkVendorRequestSchema,
    { credential: { case: "login", value: { accessToken: "\u0085" } } },
    "login.access_token",
  );
});

describe("an alias token", () => {
  passes(SetAliasRequestSchema, { token: `a${"-".repeat(62)}`, vendor: "acme" });
  refuses(SetAliasRequestSchema, { token: "a".repeat(64), vendor: "acme" }, "token");
  refuses(SetAliasRequestSchema, { token: "@a", vendor: "acme" }, "token");
  refuses(SetAliasRequestSchema, { token: "A", vendor: "acme" }, "token");
});

describe("groups of a member", () => {
  passes(UpdateTeamMemberRequestSchema, { groups: ["a".repeat(64)] });
  refuses(UpdateTeamMemberRequestSchema, { groups: ["a".repeat(65)] }, "groups[0]");
  refuses(UpdateTeamMemberRequestSchema, { groups: Object.keys(numbered(21)) }, "groups");
});

describe("the dependency-health tools", () => {
  passes(PackageHealthRequestSchema, { ...asked, name: wide.repeat(200), version: "v".repeat(80) });
  refuses(PackageHealthRequestSchema, { ...asked, ecosystem: Ecosystem.UNSPECIFIED }, "ecosystem");
  refuses(PackageHealthRequestSchema, { ...asked, name: "n".repeat(201) }, "name");
  refuses(PackageHealthRequestSchema, { ...asked, version: "v".repeat(81) }, "version");
  refuses(PackageHealthRequestSchema, { ...asked, taskContext: "" }, "task_context");
  refuses(PackageHealthRequestSchema, { ...asked, taskContext: "t".repeat(501) }, "task_context");
  passes(DepsAuditRequestSchema, { manifest: "m".repeat(60_000), taskContext: "auditing" });
  refuses(
    DepsAuditRequestSchema,
    { manifest: "m".repeat(60_001), taskContext: "auditing" },
    "manifest",
  );
  refuses(
    DepsAuditRequestSchema,
    { packages: Array.from({ length: 26 }, () => asked), taskContext: "auditing" },
    "packages",
  );
  refuses(
    DepsAuditRequestSchema,
    { packages: [asked, { name: "x" }], taskContext: "auditing" },
    "packages[1].ecosystem",
  );
  refuses(RuntimeEolRequestSchema, { product: "p".repeat(61), taskContext: "t" }, "product");
  refuses(
    RuntimeEolRequestSchema,
    { product: "node", cycle: "c".repeat(31), taskContext: "t" },
    "cycle",
  );
});

describe("money and time", () => {
  passes(AddUserCreditsRequestSchema, { userId: "user_1", amountUsd: 0.000_000_001 });
  refuses(AddUserCreditsRequestSchema, { userId: "user_1" }, "amount_usd");
  passes(ListUsageRequestSchema, { from: "2026-11-20", to: "2026-11-20T23:00:00.000Z" });
  refuses(ListUsageRequestSchema, { from: "yesterday" }, "from");
});

function passes<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): void {
  it(`${schema.name} passes`, () => {
    expect(blamed(schema, init)).toEqual([]);
  });
}

function refuses<Desc extends DescMessage>(
  schema: Desc,
  init: MessageInitShape<Desc>,
  field: string,
): void {
  it(`${schema.name} is refused for ${field}`, () => {
    expect(new Set(blamed(schema, init))).toEqual(new Set([field]));
  });
}

function blamed<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): string[] {
  const { violations = [] } = validator.validate(schema, create(schema, init));
  return violations.map((violation) => pathToString(violation.field));
}

function numbered(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, "v"]));
}
