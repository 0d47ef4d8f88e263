/** Names that every object inherits, wherever the operations take a word of the caller's. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { openFakeUpstream, json, type FakeUpstream } from "../support/fake-upstream.ts";
import { prototypeNames } from "../support/prototype-names.ts";
import { startTestInstance, type RestAnswer, type TestInstance } from "../support/test-instance.ts";

let causeway: TestInstance;
let upstream: FakeUpstream & { close(): Promise<void> };
/** Every registry and source of the tools. */
let registry: FakeUpstream & { close(): Promise<void> };

beforeAll(async () => {
  upstream = await openFakeUpstream();
  registry = await openFakeUpstream(json(packageDocument("any")));
  const { origin } = registry;
  const registries = Object.fromEntries(ecosystems.map((name) => [name, origin]));
  const sources = { osv: origin, depsdev: origin, ecosystems: origin, endoflife: origin };
  const limits = { tools_burst: 10_000 };
  causeway = await startTestInstance({ file: { registries, sources, limits } });
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
  await registry.close();
});

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const get = (path: string): Request => ({ method: "GET", path });
const send = (method: string, path: string, body: unknown): Request => ({ method, path, body });

/** As the owner of an account that has a team, a key and the endpoint `my-gpu`. */
function accountRequests(name: string, teamId: string, keyId: string): readonly Request[] {
  const endpoint = { label: "My GPU", base_url: upstream.origin, api_key: "k" };
  const question = { messages: [{ role: "user", content: "hello" }] };
  return [
    send("POST", "/v1/upstreams", { ...endpoint, headers: { [name]: "x" } }),
    send("POST", "/v1/upstreams", { ...endpoint, models: [name] }),
    send("POST", "/v1/upstreams", { ...endpoint, [name]: 1 }),
    send("POST", "/v1/upstreams", { ...endpoint, dialect: name }),
    send("PATCH", "/v1/upstreams/my-gpu", { model_names: { [name]: "Name" } }),
    send("PATCH", "/v1/upstreams/my-gpu", { headers: { [name]: "[redacted]" } }),
    send("PATCH", "/v1/upstreams/my-gpu", { [name]: null }),
    send("PATCH", `/v1/upstreams/${name}`, { label: "x" }),
    send("POST", `/v1/upstreams/${name}/probe`, undefined),
    send("DELETE", `/v1/upstreams/${name}`, undefined),
    get("/v1/upstreams"),
    get(`/v1/upstreams?after_id=${name}`),
    get(`/v1/upstreams?${name}=1`),
    send("PUT", `/v1/aliases/${name}`, { vendor: "openai", model_id: name }),
    send("PUT", "/v1/aliases/fast", { vendor: name }),
    send("PUT", "/v1/aliases/fast", { vendor: `custom/${name}` }),
    send("PUT", "/v1/aliases/fast", { vendor: "openai", custody: name }),
    send("DELETE", `/v1/aliases/${name}`, undefined),
    get("/v1/aliases"),
    send("PUT", `/v1/vendors/${name}/credential`, { api_key: "k" }),
    send("PUT", "/v1/vendors/openai/credential", { login: { headers: { [name]: "x" } } }),
    send("POST", "/v1/keys", { name, scopes: [name] }),
    send("POST", "/v1/keys", { name, route: name }),
    send("POST", "/v1/keys", { name, mode: name }),
    send("POST", "/v1/keys", { name, budget: { limit_usd: 1, window: name } }),
    send("POST", "/v1/keys", { name, allowed_models: [name] }),
    send("PATCH", `/v1/keys/${keyId}`, { [name]: 1 }),
    send("PATCH", `/v1/keys/${keyId}`, { budget: { [name]: 1 } }),
    send("DELETE", `/v1/keys/${name}`, undefined),
    get(`/v1/usage?group_by=${name}`),
    send("POST", "/v1/teams", { name }),
    send("PATCH", `/v1/teams/${teamId}`, { share_policy: name }),
    send("PATCH", `/v1/teams/${teamId}`, { share_defaults: { [name]: true } }),
    send("POST", `/v1/teams/${teamId}/invites`, { email: "a@example.org", role: name }),
    get(`/v1/teams/${name}`),
    send("POST", "/v1/items", { kind: name, text: "x" }),
    send("POST", "/v1/items", { kind: "rules", text: "x", [name]: "x" }),
    send("POST", "/v1/items", {
      kind: "mcp",
      url: "https://mcp.example.com",
      headers: { [name]: "x" },
    }),
    get("/v1/items"),
    get("/v1/audit"),
    get(`/${name}`),
    get(`/v1/${name}`),
    send("POST", "/v1/sign_in", { email: name }),
    send("POST", "/causeway.team.v1.TeamService/CreateTeam", { name, [name]: 1 }),
    send("POST", `/causeway.team.v1.TeamService/${name}`, {}),
    send("POST", `/${name}/${name}`, {}),
    send("POST", "/causeway.account.v1.AccountService/UpdateKey", {
      id: keyId,
      updateMask: name,
    }),
    send("POST", "/causeway.upstream.v1.UpstreamService/UpdateUpstream", {
      slug: "my-gpu",
      modelNames: { [name]: "Name" },
    }),
    { ...send("POST", "/v1/teams", { name }), headers: { [name]: "x", "idempotency-key": name } },
    { ...get("/v1/me"), headers: { [name]: "x", cookie: `${name}=1` } },
    send("POST", "/v1/chat/completions", question),
  ];
}

/** As a caller. */
function keyRequests(name: string): readonly Request[] {
  const question = { messages: [{ role: "user", content: "hello" }] };
  const asked = (model: string) => send("POST", "/v1/chat/completions", { ...question, model });
  const preview = (members: object) => send("POST", "/v1/transcode/preview", members);
  return [
    ...[name, `@${name}`, `${name}/x`, `custom/${name}/x`, `openai/${name}`].map(asked),
    { ...asked("openai/x"), headers: { "x-svc-route": name } },
    { ...asked("openai/x"), headers: { "x-svc-mode": name, "x-svc-engine": name } },
    preview({ from: name, to: "dialect_messages", body: { model: "m", ...question } }),
    preview({ from: "chat", to: name, body: { model: "m", ...question } }),
    preview({ from: "chat", to: "dialect_messages", body: { model: "m", ...question, [name]: 1 } }),
    preview({ from: "chat", to: "dialect_chat", body: { model: "m", ...question, [name]: 1 } }),
    send("POST", "/v1/messages/count_tokens", { model: name, ...question, [name]: 1 }),
    get(`/v1/models?${name}=1`),
    get(`/v1/responses/${name}`),
  ];
}

/** Of the tools. */
function toolRequests(name: string): readonly Request[] {
  const manifest = JSON.stringify({ dependencies: { [name]: name }, [name]: { [name]: name } });
  const call = (members: object) => ({
    ...send("POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: members }),
    headers: { accept: "application/json, text/event-stream" },
  });
  const task_context = "auditing";
  const tool = (path: string, body: object) => send("POST", path, { task_context, ...body });
  return [
    ...ecosystems.map((ecosystem) =>
      tool("/tools/package_health", { ecosystem, name: inOwnForm(ecosystem, name), version: name }),
    ),
    tool("/tools/package_health", { ecosystem: name, name }),
    tool("/tools/package_health", { ecosystem: "npm", name: "p", [name]: 1 }),
    tool("/tools/deps_audit", { manifest }),
    tool("/tools/deps_audit", { manifest: `${name}==1.0\n--${name} ${name}\n` }),
    tool("/tools/deps_audit", { manifest, manifest_kind: name }),
    tool("/tools/deps_audit", { manifest: `[${name}]`, manifest_kind: "package.json" }),
    tool("/tools/runtime_eol", { product: name }),
    tool("/tools/runtime_eol", { product: name, cycle: name, [name]: 1 }),
    call({ name, arguments: {} }),
    call({ name: "package_health", arguments: { task_context, ecosystem: name, name } }),
    call({ name: "runtime_eol", arguments: { task_context, product: name }, [name]: name }),
    { ...call({}), body: { jsonrpc: "2.0", id: 1, method: name, params: { [name]: 1 } } },
  ];
}

const ecosystems = ["npm", "pypi", "cargo", "rubygems", "go", "maven", "nuget", "packagist"];

/** Names of some ecosystems have two parts. */
function inOwnForm(ecosystem: string, name: string): string {
  if (ecosystem === "maven") return `${name}:${name}`;
  if (ecosystem === "go") return `example.org/${name}`;
  return ecosystem === "packagist" ? `${name}/${name}` : name;
}

/** A product of the end-of-life dataset. */
function product(name: string): object {
  const release = { name, isEol: true, latest: { name }, [name]: name };
  const identifiers = [{ type: "purl", id: `pkg:npm/${name}` }];
  return { name, label: name, aliases: [name], identifiers, releases: [release], [name]: name };
}

/** A package as any registry might describe it, the name in every place. */
function packageDocument(name: string): object {
  const version = { version: name, num: name, number: name, deprecated: name, [name]: name };
  return {
    name,
    [name]: { [name]: name },
    "dist-tags": { latest: name, [name]: "1.0.0" },
    versions: { [name]: version, "1.0.0": version },
    releases: { [name]: [version], "1.0.0": [version] },
    time: { [name]: name, "1.0.0": "2026-01-01T00:00:00Z" },
    info: { name, version: name, [name]: name },
    packages: { [`${name}/${name}`]: [version] },
    status: name,
    "project-status": { status: name },
    // Read once, whoever asks.
    result: prototypeNames.flatMap((known) => [known, ordinary(known)].map(product)),
    results: [{ vulns: [{ id: name, [name]: name }] }],
    vulns: [{ id: name, severity: [{ type: name, score: name }], [name]: name }],
  };
}

/** What a new account and its key are answered, told without ids, times and the name itself. */
async function answers(name: string): Promise<readonly string[]> {
  const listed = { id: name, object: "model", name, [name]: name };
  upstream.play(json({ object: "list", data: [listed], [name]: [name] }));
  registry.play(json(packageDocument(name)));
  const user = await causeway.createUser();
  const token = user.session;
  const key = await user.createKey({ scopes: ["gateway:invoke"] });
  const body = { name: "Team" };
  const { id: teamId } = (await causeway.call("POST", "/v1/teams", { token, body })).body;
  const told: string[] = [];
  const ask = async (origin: string, credential: string | undefined, request: Request) => {
    const { method, path, body: sent, headers = {} } = request;
    const options = { token: credential, body: sent, headers };
    const answer = await causeway.call(method, origin + path, options);
    told.push(neutral(`${method} ${path} ${shown(answer)}`, name));
  };
  for (const request of accountRequests(name, teamId, key.id)) {
    await ask(causeway.url, token, request);
  }
  for (const request of keyRequests(name)) await ask(causeway.url, key.secret, request);
  for (const request of toolRequests(name)) await ask(causeway.toolsUrl, undefined, request);
  const sent = upstream.requests.splice(0).map(({ rawHeaders }) => rawHeaders.join(" "));
  return [...told, ...sent.map((line) => neutral(line, name))];
}

function shown({ status, body }: RestAnswer): string {
  return `${status} ${JSON.stringify(body)}`;
}

const changing = [
  /(?<=\b(?:user|team|key|item|audit|session|req)_)[0-9a-z]{26}/g,
  /\d{4}-\d\d-\d\dT[\d:.]+Z/g,
  /(?<="created":)\d+/g,
  /(?<=cwk_)\w+/g,
  /u[0-9a-f]{12}(?=@example\.org)/g,
  // The detail of a Connect error once more, in binary.
  /(?<="value":")[^"]+/g,
];

function neutral(text: string, name: string): string {
  const spellings = [name, name.toLowerCase(), name.replaceAll(/[A-Z]/g, "_$&").toLowerCase()];
  return [...changing, ...spellings].reduce<string>(
    (rest, pattern) => rest.replaceAll(pattern, "~"),
    text,
  );
}

/** As long as the name, and inherited by nothing. */
function ordinary(name: string): string {
  return name.replace(/[a-z]/, "x");
}

it.each(prototypeNames)("`%s` is a name like any other to every operation", async (name) => {
  const told = await answers(name);
  const expected = await answers(ordinary(name));
  expect(told.filter((line, index) => line !== expected[index])).toEqual([]);
  expect(told.length).toBe(expected.length);
  expect(told.filter((line) => / 50[0-2] /.test(line))).toEqual([]);
});
