/** Two gateways behind nginx, as `deploy/compose.yaml` has them. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { openFakeUpstream, type FakeUpstream } from "../../support/fake-upstream.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { startProxy, type Proxy } from "./start-proxy.ts";

let upstream: FakeUpstream & { close(): Promise<void> };
let first: TestInstance;
let second: TestInstance;
let proxy: Proxy;
let authorization: string;
/** Ends the second half of the streams that run. */
let goOn: () => void;
let gate: Promise<void>;

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", created: 1, model: "m1", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

beforeAll(async () => {
  gate = new Promise((resolve) => (goOn = resolve));
  upstream = await openFakeUpstream(async (response) => {
    response.setHeader("content-type", "text/event-stream");
    response.write(chunk({ role: "assistant", content: "One" }));
    await gate;
    response.end(`${chunk({ content: " two" }, "stop")}data: [DONE]\n\n`);
  });
  const acme = {
    label: "Acme",
    base_url: `${upstream.origin}/v1`,
    dialects: ["dialect_chat"],
    auth: "bearer",
    models: ["m1"],
  };
  const environment = {
    CAUSEWAY_SECRET_KEY: randomBytes(32).toString("base64"),
    CAUSEWAY_TRUSTED_PROXIES: "127.0.0.1",
    CAUSEWAY_DRAIN_SECONDS: "30",
  };
  const file = { vendors: { acme } };
  first = await startTestInstance({ environment, file });
  const DATABASE_URL = first.connectionString;
  second = await startTestInstance({ environment: { ...environment, DATABASE_URL }, file });
  proxy = await startProxy([first, second]);
  const user = await first.createUser();
  authorization = `Bearer ${(await user.createKey()).secret}`;
  const credential = { token: user.session, body: { api_key: "sk-1" } };
  await first.call("PUT", "/v1/vendors/acme/credential", credential);
});

afterAll(async () => {
  goOn();
  await proxy.close();
  await second.close();
  await first.close();
  await upstream.close();
});

async function stream(): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const messages = [{ role: "user", content: "Count" }];
  const answer = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json", "x-forwarded-for": "192.0.2.9" },
    body: JSON.stringify({ model: "acme/m1", stream: true, messages }),
  });
  if (!answer.ok || answer.body === null) throw new Error(await answer.text());
  return answer.body.getReader();
}

async function rest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += Buffer.from(value).toString();
  }
}

it("passes both services on, without their metrics", async () => {
  for (const url of [proxy.url, proxy.toolsUrl]) {
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
  }
});

it("passes tokens on as they come, and the address of the caller, not what it claims", async () => {
  const reader = await stream();
  // The upstream says nothing more until this was read.
  const { value } = await reader.read();
  expect(Buffer.from(value ?? []).toString()).toContain("One");
  const streams = [await stream(), await stream(), await stream()];
  const stopped = second.instance.stop();
  const models = Array.from({ length: 50 }, () =>
    fetch(`${proxy.url}/v1/models`, { headers: { authorization } }),
  );
  const statuses = (await Promise.all(models)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  goOn();
  for (const running of [reader, ...streams]) expect(await rest(running)).toContain("[DONE]");
  await stopped;
  const lines = [...first.logLines(), ...second.logLines()];
  const addresses = lines.flatMap(({ address }) => (address === undefined ? [] : [address]));
  expect(new Set(addresses)).toEqual(new Set(["127.0.0.1"]));
});

it("sends everything to the gateway that is left", async () => {
  for (let at = 0; at < 20; at += 1) {
    const { status } = await fetch(`${proxy.url}/v1/models`, { headers: { authorization } });
    expect(status).toBe(200);
  }
  expect(await rest(await stream())).toContain("[DONE]");
});

it("passes upgrades to WebSocket on", async () => {
  const socket = new WebSocket(`${proxy.url.replace("http", "ws")}/v1/responses`, {
    headers: { authorization },
  });
  const last = await new Promise<string>((resolve, reject) => {
    socket.on("error", reject);
    socket.on("open", () =>
      socket.send(JSON.stringify({ type: "response.create", model: "acme/m1", input: "Count" })),
    );
    socket.on("message", (data: Buffer) => {
      const { type } = JSON.parse(data.toString()) as { type: string };
      if (type === "response.completed" || type === "error") resolve(type);
    });
  });
  socket.close();
  expect(last).toBe("response.completed");
});
