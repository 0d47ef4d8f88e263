/** What operators see of model calls in metrics and spans, by the GenAI conventions of OpenTelemetry. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { openFakeUpstream, type FakeUpstream, type Script } from "../support/fake-upstream.ts";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startCollector, type Collector } from "../platform/telemetry/fake-collector.ts";

let upstream: FakeUpstream & { close(): Promise<void> };
let causeway: TestInstance;
let caller: Caller;

interface Caller {
  readonly user: TestUser;
  readonly token: string;
  readonly post: (path: string, body: object, headers?: Record<string, string>) => Promise<number>;
}

const messages = [{ role: "user", content: "a secret of the caller" }];
const usage = {
  prompt_tokens: 30,
  completion_tokens: 7,
  total_tokens: 37,
  prompt_tokens_details: { cached_tokens: 20 },
};

/** Knows `m1` and nothing else, and says that a version of it answers. */
const answer: Script = (response, { path, body }) => {
  const { model, stream } = JSON.parse(body.toString() || "{}") as Record<string, unknown>;
  response.setHeader("content-type", "application/json");
  if (path.endsWith("/models")) return response.end('{"data":[{"id":"m1"}]}');
  if (model === "busy") response.writeHead(429);
  else if (model !== "m1") response.writeHead(404);
  if (model !== "m1") return response.end('{"error":{"message":"no","code":"made-up-code"}}');
  const told = { id: "c1", object: "chat.completion", created: 1, model: "m1-2026" };
  const message = { role: "assistant", content: "a secret of the model" };
  const whole = { ...told, choices: [{ index: 0, message, finish_reason: "stop" }], usage };
  if (stream !== true) return response.end(JSON.stringify(whole));
  const delta = { ...told, choices: [{ index: 0, delta: message, finish_reason: "stop" }], usage };
  response.setHeader("content-type", "text/event-stream");
  return response.end(`data: ${JSON.stringify(delta)}\n\ndata: [DONE]\n\n`);
};

function vendorFile(): object {
  const vendor = {
    base_url: `${upstream.origin}/v1`,
    dialects: ["dialect_chat"],
    auth: "bearer",
    models: ["m1", "busy"],
  };
  return { vendors: { acme: { label: "Acme", ...vendor }, mistral: { label: "M", ...vendor } } };
}

async function signUp(instance: TestInstance): Promise<Caller> {
  const user = await instance.createUser();
  const { secret: token } = await user.createKey();
  for (const vendor of ["acme", "mistral"]) {
    const body = { api_key: `sk-of-${vendor}` };
    const path = `/v1/vendors/${vendor}/credential`;
    await instance.call("PUT", path, { token: user.session, body });
  }
  const endpoint = {
    label: "Own",
    base_url: `${upstream.origin}/v1`,
    api_key: "sk-own",
    dialect: "dialect_chat",
  };
  await instance.call("POST", "/v1/upstreams", { token: user.session, body: endpoint });
  return {
    user,
    token,
    post: async (path, body, headers = {}) =>
      (await instance.call("POST", path, { token, body, headers })).status,
  };
}

const chat = (model: string, more: object = {}): [string, object] => [
  "/v1/chat/completions",
  { model, messages, ...more },
];

async function printed(): Promise<string> {
  return (await fetch(`${causeway.url}/metrics`)).text();
}

/** Lines of a metric that hold all these labels. */
async function linesOf(name: string, ...labels: string[]): Promise<string[]> {
  const lines = (await printed()).split("\n").filter((line) => line.startsWith(`${name}{`));
  return lines.filter((line) => labels.every((label) => line.includes(label)));
}

const valueOf = (line: string | undefined): number => Number(line?.split(" ").at(-1) ?? 0);

beforeAll(async () => {
  upstream = await openFakeUpstream(answer);
  causeway = await startTestInstance({ file: vendorFile() });
  caller = await signUp(causeway);
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("/metrics", () => {
  const counts = "gen_ai_client_operation_duration_seconds_count";
  const named =
    'gen_ai_operation_name="chat",gen_ai_provider_name="acme",gen_ai_request_model="m1",gen_ai_response_model="m1-2026"';

  it("[telemetry.metrics] tells durations and tokens of operations by provider and model", async () => {
    expect(await caller.post(...chat("acme/m1"))).toBe(200);
    const request = { model: "acme/m1", messages, max_tokens: 9 };
    expect(await caller.post("/v1/messages", request)).toBe(200);
    await waitUntil(async () => valueOf((await linesOf(counts, named))[0]) === 2);
    expect(await linesOf(counts, named)).toEqual([`${counts}{${named}} 2`]);
    const tokens = await linesOf("gen_ai_client_token_usage_sum");
    expect(tokens.toSorted()).toEqual([
      `gen_ai_client_token_usage_sum{${named},gen_ai_token_type="input"} 60`,
      `gen_ai_client_token_usage_sum{${named},gen_ai_token_type="output"} 14`,
    ]);
    const [bucket] = await linesOf("gen_ai_client_token_usage_bucket", '"input"', 'le="64"');
    expect(valueOf(bucket)).toBe(2);
  });

  it("[telemetry.metrics] tells the time to the first chunk of streams only", async () => {
    const first = "gen_ai_client_operation_time_to_first_chunk_seconds_count";
    await caller.post(...chat("acme/m1"));
    expect(await linesOf(first)).toEqual([]);
    await caller.post(...chat("acme/m1", { stream: true }));
    await waitUntil(async () => (await linesOf(first)).length > 0);
    expect(await linesOf(first)).toEqual([`${first}{${named}} 1`]);
  });

  it("[telemetry.metrics] names providers as the conventions do, and no endpoint of an account", async () => {
    await caller.post(...chat("mistral/m1"));
    await caller.post(...chat("custom/own/m1"));
    await waitUntil(async () => (await linesOf(counts, '"custom"')).length > 0);
    expect(await linesOf(counts, 'gen_ai_provider_name="mistral_ai"')).toHaveLength(1);
    expect(await printed()).not.toMatch(/custom\/own|="own"/);
  });

  it("[telemetry.bounded] has no model that nobody serves, whatever callers name", async () => {
    const invented = Array.from({ length: 30 }, (_, number) => `invented-${number}`);
    for (const model of invented) expect(await caller.post(...chat(`acme/${model}`))).toBe(404);
    const refused = ['gen_ai_provider_name="acme"', 'error_type="404"'];
    await waitUntil(async () => valueOf((await linesOf(counts, ...refused))[0]) === 30);
    expect(await linesOf(counts, ...refused)).toHaveLength(1);
    expect(await printed()).not.toMatch(/invented|made-up/);
  });

  it("[telemetry.metrics] tells each target of a call that went elsewhere", async () => {
    const targets = [
      { vendor: "mistral", model_id: "busy" },
      { vendor: "acme", model_id: "m1" },
    ];
    const body = { targets };
    await causeway.call("PUT", "/v1/aliases/pool", { token: caller.user.session, body });
    const before = valueOf((await linesOf(counts, named))[0]);
    await waitUntil(async () => (await caller.post(...chat("@pool"))) === 200);
    const failed = await linesOf(counts, '"mistral_ai"', 'error_type="429"');
    expect(failed.map(valueOf)).toEqual([1]);
    await waitUntil(async () => valueOf((await linesOf(counts, named))[0]) > before);
  });

  it("[telemetry.no-contents] says nothing of what callers send along", async () => {
    await caller.post(...chat("acme/m1"), { "x-svc-tags": "project=alpha-secret" });
    expect(await printed()).not.toMatch(/secret|project|sk-of|127\.0\.0\.1/);
  });
});

/** An instance that sends to a collector; the exporters read the environment of the process. */
async function sendTo(
  collector: Collector,
  more: Readonly<Record<string, string>> = {},
): Promise<TestInstance> {
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...more };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return startTestInstance({ file: vendorFile(), environment });
}

describe("a collector", () => {
  it("[telemetry.spans] [telemetry.no-contents] gets the metrics under the names of the conventions, and spans that belong together", async () => {
    const collector = await startCollector();
    const instance = await sendTo(collector);
    const { post } = await signUp(instance);
    const tags = { "x-svc-tags": "project=alpha-secret" };
    expect(await post(...chat("acme/m1", { stream: true }), tags)).toBe(200);
    expect(await post(...chat("acme/nobody"))).toBe(404);
    await instance.close();
    const ours = collector.points.filter(({ name }) => name.startsWith("gen_ai."));
    const common = { "gen_ai.operation.name": "chat", "gen_ai.provider.name": "acme" };
    const model = { "gen_ai.request.model": "m1", "gen_ai.response.model": "m1-2026" };
    expect(
      ours.map(({ name, unit, attributes, count }) => [name, unit, attributes, count]),
    ).toEqual([
      ["gen_ai.client.operation.duration", "s", { ...common, ...model }, 1],
      ["gen_ai.client.operation.duration", "s", { ...common, "error.type": "404" }, 1],
      ["gen_ai.client.operation.time_to_first_chunk", "s", { ...common, ...model }, 1],
      ...["input", "output"].map((type) => {
        const attributes = { ...common, ...model, "gen_ai.token.type": type };
        return ["gen_ai.client.token.usage", "{token}", attributes, 1];
      }),
    ]);
    const input = ours.find(({ attributes }) => attributes["gen_ai.token.type"] === "input");
    expect(input).toMatchObject({ form: "histogram", sum: 30, temporality: 2 });
    expect(input?.explicitBounds).toEqual(Array.from({ length: 14 }, (_, power) => 4 ** power));
    expect(input?.bucketCounts?.map(Number)).toEqual([0, 0, 0, 1, ...Array<number>(11).fill(0)]);
    const requests = collector.points.find(
      ({ name, attributes }) =>
        name === "causeway_http_requests_total" && attributes["status"] === "4xx",
    );
    expect(requests).toMatchObject({ form: "sum", value: 1 });
    const span = collector.spans.find(({ name }) => name === "chat m1");
    const parent = collector.spans.find(({ spanId }) => spanId === span?.parentSpanId);
    expect(parent?.name).toBe("POST /v1/chat/completions");
    expect(span?.attributes).toMatchObject({
      ...common,
      ...model,
      "gen_ai.request.stream": true,
      "gen_ai.usage.input_tokens": 30,
      "gen_ai.usage.cache_read.input_tokens": 20,
      "gen_ai.usage.output_tokens": 7,
    });
    expect(collector.spans.find(({ name }) => name === "chat nobody")).toMatchObject({
      status: 2,
      attributes: { "error.type": "404" },
    });
    expect(collector.bodies.join("\n")).not.toMatch(/secret|sk-of|cwk_/);
    const instances = [...collector.points, ...collector.spans].map(
      ({ resource }) => resource["service.instance.id"],
    );
    expect(new Set(instances).size).toBe(1);
    expect(instances[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("[telemetry.otlp] gets metrics as often as the environment says, until they are turned off", async () => {
    const collector = await startCollector();
    const instance = await sendTo(collector, { OTEL_METRIC_EXPORT_INTERVAL: "50" });
    await collector.nextMetrics();
    await collector.nextMetrics();
    await instance.close();
    const silent = await startCollector();
    const quiet = await sendTo(silent, {
      OTEL_METRICS_EXPORTER: "none",
      OTEL_METRIC_EXPORT_INTERVAL: "50",
    });
    await quiet.call("GET", "/metrics");
    await quiet.close();
    expect(silent.points).toEqual([]);
    expect(silent.spans.map(({ name }) => name)).toEqual(["GET /metrics"]);
  });
});
