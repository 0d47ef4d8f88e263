import { WorkerMetricsCollector } from "../../src/app/workers/worker-metrics.ts";
import { closedPort } from "../support/closed-port.ts";
import { openFakeUpstream, type Script } from "../support/fake-upstream.ts";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";

/** A series of `/metrics`: its name and labels. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const messages = [{ role: "user", content: "Hello" }];

/** Answers `m1`, streamed or whole; `busy` gets 429. */
const answer: Script = (response, { body }) => {
  const { model, stream } = JSON.parse(body.toString() || "{}") as Record<string, unknown>;
  response.setHeader("content-type", "application/json");
  if (model === "busy") return response.writeHead(429).end('{"error":{"message":"busy"}}');
  const told = { id: "c1", created: 1, model: "m1", usage };
  const message = { role: "assistant", content: "Hi" };
  const choice = { index: 0, finish_reason: "stop" };
  if (stream !== true) {
    return response.end(JSON.stringify({ ...told, choices: [{ ...choice, message }] }));
  }
  const delta = { ...told, choices: [{ ...choice, delta: message }] };
  response.setHeader("content-type", "text/event-stream");
  return response.end(`data: ${JSON.stringify(delta)}\n\ndata: [DONE]\n\n`);
};

/** What a server shows that has answered and refused something of every kind. */
export async function scrapeBusyServer(): Promise<readonly Series[]> {
  const upstream = await openFakeUpstream(answer);
  const causeway = await startTestInstance({
    environment: { CAUSEWAY_REDIS_URL: `redis://127.0.0.1:${await closedPort()}` },
    file: configurationOf(`${upstream.origin}/v1`),
  });
  try {
    await makeCalls(causeway, await causeway.createUser());
    await useTools(causeway);
    const text = await (await fetch(`${causeway.url}/metrics`)).text();
    return [...seriesOf(text), ...seriesOfPrimary()];
  } finally {
    await causeway.close();
    await upstream.close();
  }
}

function configurationOf(baseUrl: string): object {
  const price = { input_usd_per_mtok: 1, output_usd_per_mtok: 1 };
  const acme = { base_url: baseUrl, dialects: ["dialect_chat"], auth: "bearer" };
  return {
    vendors: { acme: { label: "Acme", ...acme, models: ["m1", "busy"] } },
    credits: {
      keys: { acme: "operator" },
      catalog: [{ id: "sold", vendor: "acme", model: "m1", ...price }],
    },
    sources: { endoflife: "off" },
  };
}

async function makeCalls(causeway: TestInstance, user: TestUser): Promise<void> {
  const credential = { token: user.session, body: { api_key: "sk-1" } };
  await causeway.call("PUT", "/v1/vendors/acme/credential", credential);
  const { secret: token } = await user.createKey();
  const slow = await user.createKey({ rate_limit: { requests_per_minute: 1, burst: 1 } });
  const post = async (path: string, body: object, key = token) =>
    causeway.call("POST", path, { token: key, body });
  const chat = (model: string, more = {}, key = token) =>
    post("/v1/chat/completions", { model, messages, ...more }, key);
  expectStatus(200, await chat("acme/m1"));
  expectStatus(200, await chat("acme/m1", { stream: true }));
  expectStatus(200, await post("/v1/messages", { model: "acme/m1", messages, max_tokens: 9 }));
  expectStatus(429, await chat("acme/busy"));
  const poor = await (await causeway.createUser()).createKey();
  expectStatus(402, await chat("sold", {}, poor.secret));
  expectStatus(200, await chat("acme/m1", {}, slow.secret));
  expectStatus(429, await chat("acme/m1", {}, slow.secret));
  const asked = { model: "acme/m1", input: "Hello", background: true };
  const { id } = (await post("/v1/responses", asked)).body as { id: string };
  await waitUntil(async () => {
    const { body } = await causeway.call("GET", `/v1/responses/${id}`, { token });
    return body.status === "completed";
  }, 20_000);
}

async function useTools({ call, toolsUrl }: TestInstance): Promise<void> {
  const url = `${toolsUrl}/tools/runtime_eol`;
  const task_context = "watching the board";
  expectStatus(200, await call("POST", url, { body: { product: "nodejs", task_context } }));
  expectStatus(400, await call("POST", url, { body: {} }));
}

function expectStatus(wanted: number, { status, body }: { status: number; body: unknown }): void {
  if (status !== wanted) throw new Error(`${status}, not ${wanted}: ${JSON.stringify(body)}`);
}

/** Lines of the Prometheus text format. */
function seriesOf(text: string): Series[] {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [, name = "", labels = ""] = /^([\w:]+)(?:\{(.*)\})? /.exec(line) ?? [];
    const read = [...labels.matchAll(/([a-z_]\w*)="((?:[^"\\]|\\.)*)"/gi)];
    return {
      name,
      labels: Object.fromEntries(read.map(([, key = "", value]) => [key, value ?? ""])),
    };
  });
}

/** What the primary of several workers adds. */
function seriesOfPrimary(): Series[] {
  return new WorkerMetricsCollector().local(2).map(({ name }) => ({ name, labels: {} }));
}
