import { Code, ConnectError } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ErrorInfoSchema } from "../../gen/ts/causeway/error/v1/error_pb.ts";
import {
  depshealthServiceDescriptors,
  allServiceDescriptors,
} from "../../src/contract/services.ts";
import { callerKeyScopes } from "../../src/platform/principal.ts";
import { readMethodPolicy } from "../../src/contract/method-policy.ts";
import { compileRequestBinder } from "../../src/transport/rest/bind.ts";
import { readRestRules, type RestRule } from "../../src/contract/rest-rule.ts";
import { sampleDocument } from "../depshealth/eol/sample.ts";
import { startFakeSources, type FakeSources } from "../support/fake-sources/fake-sources.ts";
import { serveNpm } from "../support/fake-sources/packages.ts";
import { openCallWriter } from "../call-log/call-writer.ts";
import {
  startTestInstance,
  type RestAnswer,
  type TestInstance,
  type TestUser,
} from "../support/test-instance.ts";
import type { CaseRequest, CaseWorld, OperationCase } from "./operation-case.ts";
import { operationCases } from "./operation-cases.ts";

/** Every operation that is mounted, as the descriptors have it. */
const operations = allServiceDescriptors
  .flatMap((service) => service.methods)
  .flatMap(readRestRules);
const named = operations.map((rule) => [rule.method.name, rule] as const);

let world: CaseWorld;
let upstream: Server;
let sources: FakeSources;
/** Creates a key that outlives the test. */
let createLastingKey: TestUser["createKey"];

beforeAll(async () => {
  upstream = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end('{"object":"list","data":[{"id":"model-1"}]}');
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
  const acme = { label: "Acme", base_url: upstreamUrl, dialects: ["dialect_chat"], auth: "bearer" };
  sources = await startFakeSources();
  serveNpm(sources, { name: "left", versions: [{ version: "1.0.0", at: "2026-01-01T00:00:00Z" }] });
  sources.serve("/endoflife/api/v1/products/full", { text: sampleDocument() });
  const causeway = await startTestInstance({
    file: { vendors: { acme }, sign_in: { domains: ["example.org"] }, ...sources.configuration() },
  });
  const writer = await openCallWriter(causeway.connectionString);
  const owner = await causeway.createUser();
  createLastingKey = (fields) => owner.createKey(fields);
  const user = withFewKeys(causeway, owner);
  world = { causeway, user, upstreamUrl, writer };
});

afterAll(async () => {
  await world.writer.close();
  await world.causeway.close();
  upstream.close();
  await sources.close();
});

/** Revokes its keys with their tests: there are more tests than a person may have live keys. */
function withFewKeys(causeway: TestInstance, user: TestUser): TestUser {
  const createKey: TestUser["createKey"] = async (fields) => {
    const key = await user.createKey(fields);
    onTestFinished(async () => {
      await causeway.call("DELETE", `/v1/keys/${key.id}`, { token: user.session });
    });
    return key;
  };
  return { ...user, createKey };
}

/** Keys by what they may do: requests that are refused leave them as they are. */
const keys = new Map<string, ReturnType<TestUser["createKey"]>>();

function sharedKey(name: string, create: () => ReturnType<TestUser["createKey"]>) {
  const key = keys.get(name) ?? create();
  keys.set(name, key);
  return key;
}

/** A key with every scope but one. */
function keyWithoutScope(scope: string | undefined) {
  const scopes = callerKeyScopes.filter((other) => other !== scope);
  return sharedKey(`without ${scope}`, () => createLastingKey({ scopes }));
}

function revokedKey() {
  return sharedKey("revoked", async () => {
    const key = await createLastingKey({ scopes: [...callerKeyScopes] });
    await world.causeway.call("DELETE", `/v1/keys/${key.id}`, { token: world.user.session });
    return key;
  });
}

describe("the table", () => {
  it("has a case for every operation that is mounted", () => {
    expect(Object.keys(operationCases).toSorted()).toEqual(
      [...new Set(named.map(([name]) => name))].toSorted(),
    );
  });
});

describe.each(named)("%s", (name, rule) => {
  const operation = operationCases[name] as OperationCase;
  const policy = readMethodPolicy(rule.method);
  let shared: Promise<CaseRequest> | CaseRequest | undefined;
  /** One request for all that are refused: it changes nothing. */
  const refused = () => (shared ??= operation.happy(world));
  /** A request to send with its own credential, which ends with the test that created it. */
  const refusedWithCredential = async () => {
    const request = await refused();
    return request.token === undefined ? request : operation.happy(world);
  };

  it("[auth.endpoints] [operations.statuses] succeeds over REST with the contract's status", async () => {
    const answer = await rest(rule, await operation.happy(world));
    expect(answer).toMatchObject({ status: rule.successStatus });
    expect(answer.headers.get("x-request-id")).toMatch(/^req_[0-9a-z]{26}$/);
  });

  it("succeeds over Connect", async () => {
    await expect(connect(rule, await operation.happy(world))).resolves.toBeUndefined();
  });

  it("[error.body] [document.open] is refused without a credential, if it needs one", async () => {
    const request = await refused();
    if (policy.credentials.length === 0)
      return expect((await rest(rule, request, "junk")).status).toBe(rule.successStatus);
    await expectRefusal(rule, request, "", {
      status: 401,
      error: "unauthorized",
      code: Code.Unauthenticated,
    });
  });

  it("[auth.unknown] is refused to an unknown credential", async () => {
    if (policy.credentials.length === 0) return expect(policy.scope).toBeUndefined();
    const request = await refused();
    await expectRefusal(rule, request, "junk", {
      status: 401,
      error: "unauthorized",
      code: Code.Unauthenticated,
    });
  });

  it("[auth.teams] [key.maker-scopes] is refused to every credential that its policy does not name", async () => {
    const request = await refused();
    const forbidden = { status: 403, error: "insufficient_scope", code: Code.PermissionDenied };
    if (policy.credentials.length === 0) return;
    const weak = await keyWithoutScope(policy.scope);
    if (policy.scope !== undefined || !policy.credentials.includes("key"))
      await expectRefusal(rule, request, weak.secret, forbidden);
    if (!policy.credentials.includes("session"))
      await expectRefusal(rule, request, world.user.session, forbidden);
    if (!policy.credentials.includes("operator"))
      await expectRefusal(rule, request, world.causeway.adminToken, forbidden);
    expect.hasAssertions();
  });

  it("[auth.aliases] is open to a key that holds just its scope", async () => {
    if (!policy.credentials.includes("key")) return;
    const key = await world.user.createKey({
      scopes: policy.scope === undefined ? [] : [policy.scope],
    });
    const answer = await rest(rule, await operation.happy(world, key.id), key.secret);
    expect(answer.status).toBe(rule.successStatus);
  });

  it("[auth.refused] [models.errors] is refused to a revoked key with 403", async () => {
    if (!policy.credentials.includes("key")) return;
    const key = await revokedKey();
    const request = await refused();
    await expectRefusal(rule, request, key.secret, {
      status: 403,
      error: "insufficient_scope",
      code: Code.PermissionDenied,
    });
  });

  it("[endpoints.not-found] [error.404] answers 404 for what does not exist", async () => {
    const { unknown } = operation;
    if (unknown === "never") return expect(rule.pathFields).not.toEqual([]);
    if (unknown === undefined) return expect(rule.pathFields).toEqual([]);
    const request = await refusedWithCredential();
    const missing = { ...request, fields: { ...request.fields, ...unknown } };
    await expectRefusal(rule, missing, undefined, {
      status: 404,
      error: "not_found",
      code: Code.NotFound,
    });
  });

  it("[endpoints.create-errors] answers 400 and names the value that is wrong", async () => {
    const { invalid } = operation;
    if (invalid === undefined) return;
    const request = await refusedWithCredential();
    const wrong = { ...request, fields: { ...request.fields, ...invalid.fields } };
    const answer = await rest(rule, wrong);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: "invalid_request", param: invalid.param },
    });
  });

  it("[reference.strict] [tools.health-body] [input.unknown-field] refuses a field that it does not know, over REST", async () => {
    if (rule.body !== "*") return;
    const request = await refusedWithCredential();
    const answer = await rest(rule, { ...request, fields: { ...request.fields, surprise: 1 } });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: "invalid_request", param: "surprise" },
    });
  });
});

interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly code: Code;
}

/** The same refusal over REST and Connect, with everything that a refusal carries. */
async function expectRefusal(
  rule: RestRule,
  request: CaseRequest,
  token: string | undefined,
  refusal: Refusal,
): Promise<void> {
  const answer = await rest(rule, request, token);
  const { status, error } = refusal;
  const body = flatError(answer.body);
  expect({ ...answer, body }).toMatchObject({
    status,
    body: { error, message: expect.stringMatching(/\.$/) },
  });
  expect(body.request_id).toBe(answer.headers.get("x-request-id"));
  expect(body.doc_url).toBe(`${serviceUrl(rule)}/docs/errors#${error}`);
  const failure = await connect(rule, request, token).then(
    () => expect.fail("Connect let it in."),
    (thrown: unknown) => ConnectError.from(thrown),
  );
  expect(failure.code).toBe(refusal.code);
  expect(failure.findDetails(ErrorInfoSchema)[0]).toMatchObject({
    code: error,
    message: body.message,
  });
}

function defaultToken(rule: RestRule): string | undefined {
  const { credentials } = readMethodPolicy(rule.method);
  if (credentials.includes("session")) return world.user.session;
  return credentials.includes("operator") ? world.causeway.adminToken : undefined;
}

function tokenOf(
  rule: RestRule,
  request: CaseRequest,
  token: string | undefined,
): string | undefined {
  return token ?? request.token ?? defaultToken(rule);
}

/** The flat form of an error body, also of one in the form of the messages dialect. */
function flatError(body: RestAnswer["body"]): RestAnswer["body"] {
  if (body.type !== "error") return body;
  const { message, details } = body.error;
  return { ...details, message, error: details.error_code, request_id: body.request_id };
}

/** Divides the fields of a request among path, query and body, as the route has them. */
function partsOf({ pathFields, body }: RestRule, { fields }: CaseRequest) {
  const entries = Object.entries(fields);
  const params = Object.fromEntries(entries.filter(([name]) => pathFields.includes(name)));
  const others = Object.fromEntries(entries.filter(([name]) => !pathFields.includes(name)));
  return body === undefined
    ? { params, query: others, body: undefined }
    : { params, query: {}, body: body === "*" ? others : fields[body] };
}

function rest(rule: RestRule, request: CaseRequest, token?: string): Promise<RestAnswer> {
  const { params, query, body } = partsOf(rule, request);
  const path = rule.template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const search = Object.entries(query).map(([name, value]) => `${name}=${String(value)}`);
  const credential = tokenOf(rule, request, token);
  return world.causeway.call(rule.httpMethod, `${serviceUrl(rule)}${path}?${search.join("&")}`, {
    token: credential === "" ? undefined : credential,
    body,
  });
}

const binders = new Map<RestRule, ReturnType<typeof compileRequestBinder>>();
const transports = new Map<string, ReturnType<typeof createConnectTransport>>();

async function connect(rule: RestRule, request: CaseRequest, token?: string): Promise<void> {
  const credential = tokenOf(rule, request, token);
  const headers: Record<string, string> =
    credential === undefined || credential === "" ? {} : { authorization: `Bearer ${credential}` };
  const parts = partsOf(rule, request);
  const body = rule.takesBytes ? Buffer.from(JSON.stringify(parts.body)) : parts.body;
  const bind = binders.get(rule) ?? compileRequestBinder(rule);
  binders.set(rule, bind);
  const message = bind({ ...parts, body });
  const url = serviceUrl(rule);
  const transport =
    transports.get(url) ?? createConnectTransport({ baseUrl: url, httpVersion: "1.1" });
  transports.set(url, transport);
  await transport.unary(rule.method, undefined, undefined, headers, message);
}

/** Which of the two ports serves the method. */
function serviceUrl({ method }: RestRule): string {
  return depshealthServiceDescriptors.includes(method.parent)
    ? world.causeway.toolsUrl
    : world.causeway.url;
}
