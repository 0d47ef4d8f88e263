import { connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AccountService } from "../../gen/ts/causeway/account/v1/account_pb.ts";
import { ErrorInfoSchema } from "../../gen/ts/causeway/error/v1/error_pb.ts";
import { watchEventLoopDelay } from "../../src/platform/load/loop-delay.ts";
import type { CallOptions, RestResponse } from "../support/rest-client.ts";
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";
import {
  openStream,
  registerUpstream,
  startEndlessUpstream,
} from "../process/support/streaming-caller.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const statements: string[] = [];
let hear: (delayMs: number) => void = () => {};
let causeway: TestInstance;
let user: Awaited<ReturnType<TestInstance["createUser"]>>;
let key: string;

beforeAll(async () => {
  causeway = await startTestInstance({
    statementObserver: (sql) => void statements.push(sql),
    watchLoop: (listener) => {
      hear = listener;
      return () => {};
    },
  });
  user = await causeway.createUser();
  key = (await user.createKey()).secret;
});
afterAll(() => causeway.close());

/** As many looks at the event loop as it takes, each with this lateness. */
function look(times: number, delayMs: number): void {
  for (let count = 0; count < times; count++) hear(delayMs);
}

async function refusal(
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<RestResponse> {
  const answer = await causeway.call(method, path, options);
  expect([path, answer.status, answer.headers.get("retry-after")]).toEqual([path, 503, "2"]);
  expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
  return answer;
}

describe("while load is shed", () => {
  beforeEach(() => {
    statements.length = 0;
    look(3, 501);
  });
  afterEach(() => look(10, 0));

  it("[code.shedding] model calls are refused in the caller's dialect", async () => {
    const options = { token: key, body: { model: "custom/x/m" } };
    for (const path of ["/v1/chat/completions", "/v1/responses"]) {
      const { body } = await refusal("POST", path, options);
      expect(body.error).toMatchObject({ code: "unavailable", type: "server_error", param: null });
    }
    const { body, headers } = await refusal("POST", "/v1/messages", options);
    expect(body).toMatchObject({
      type: "error",
      error: { type: "api_error", details: { error_code: "unavailable" } },
      request_id: headers.get("request-id"),
    });
  });

  it("[code.shedding] contract calls are refused over REST, in the form of their route", async () => {
    const flat = await refusal("GET", "/v1/keys", { token: user.session });
    expect(flat.body).toMatchObject({
      error: "unavailable",
    });
    const counted = await refusal("POST", "/v1/messages/count_tokens", { token: key, body: {} });
    expect(counted.body).toMatchObject({ type: "error" });
    const kept = await refusal("GET", "/v1/responses/resp_1", { token: key });
    expect(kept.body.error).toMatchObject({ code: "unavailable" });
    await refusal("POST", `${causeway.toolsUrl}/tools/package_health`, { body: {} });
    await refusal("POST", `${causeway.toolsUrl}/mcp`, { body: {} });
  });

  const transports: [string, (baseUrl: string) => Transport][] = [
    ["Connect", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
    ["gRPC-web", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
    ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
  ];
  it.each(transports)("contract calls are refused over %s", async (_, transportTo) => {
    const client = createClient(AccountService, transportTo(causeway.url));
    const headers = { authorization: `Bearer ${user.session}` };
    const refused = await client.getMe({}, { headers }).catch((error: unknown) => error);
    const error = ConnectError.from(refused);
    expect([error.code, error.metadata.get("retry-after")]).toEqual([Code.Unavailable, "2"]);
    expect(error.findDetails(ErrorInfoSchema)).toMatchObject([
      { code: "unavailable", retryAfterSeconds: 2 },
    ]);
  });

  it("nothing is looked at: no credential, no body, no row", async () => {
    for (const path of ["/v1/chat/completions", "/v1/keys"]) {
      const answer = await announce(path, 30_000_000);
      expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    }
    await refusal("POST", "/v1/messages", { token: "junk", body: {} });
    await refusal("GET", "/v1/teams");
    expect(statements.filter((sql) => /caller_key|session/.test(sql))).toEqual([]);
  });

  it("what tells how the process is answers, and tells it", async () => {
    for (const base of [causeway.url, causeway.toolsUrl]) {
      expect(await causeway.call("GET", `${base}/healthz`)).toMatchObject({ status: 200 });
      expect(await causeway.call("GET", `${base}/readyz`)).toMatchObject({ status: 200 });
      const { status, body } = await causeway.call("GET", `${base}/metrics`);
      expect(status).toBe(200);
      expect(body).toContain("\ncauseway_shedding 1\n");
      expect(body).toContain("\ncauseway_event_loop_delay_seconds 0.501\n");
      expect(body).toMatch(/\ncauseway_shed_requests_total [1-9]/);
    }
  });

  it("the log says so once, not with every call", async () => {
    const before = causeway.logLines().length;
    await refusal("GET", "/v1/keys", { token: user.session });
    await refusal("POST", "/v1/messages", { token: key, body: {} });
    await waitUntil(() => accessLines(before).length === 2);
    look(10, 0);
    const others = causeway
      .logLines()
      .slice(before - 1)
      .filter(isNoAccess);
    expect(others.map(({ msg }) => msg)).toEqual([
      "the event loop is late: new calls are refused with 503",
      "the event loop is in time again: calls are taken",
    ]);
  });
});

function accessLines(from: number): Record<string, unknown>[] {
  return causeway
    .logLines()
    .slice(from)
    .filter((line) => !isNoAccess(line));
}

function isNoAccess(line: Record<string, unknown>): boolean {
  return line["status"] === undefined;
}

/** The first bytes of the answer to a call that announces a body and never sends it. */
async function announce(path: string, length: number): Promise<string> {
  const { hostname, port } = new URL(causeway.url);
  const socket = connect(Number(port), hostname);
  const answer = new Promise<string>((resolve) => {
    socket.once("data", (piece: Buffer) => resolve(piece.toString("latin1")));
  });
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`,
  );
  return answer.finally(() => socket.destroy());
}

describe("a stream", () => {
  it("that is under way goes on while load is shed, and calls are taken again after it", async () => {
    const upstream = await startEndlessUpstream();
    const model = await registerUpstream(causeway.call, user, upstream);
    const stream = await openStream(causeway.url, key, model);
    look(3, 501);
    await refusal("POST", "/v1/chat/completions", { token: key, body: { model } });
    upstream.finish("dialect_chat");
    expect(await stream.text).toContain("[DONE]");
    look(10, 250);
    expect((await openStream(causeway.url, key, model)).status).toBe(200);
  });
});

describe("an event loop that really stands still", () => {
  it("[code.shedding] sheds load while it does, and takes calls afterwards", async () => {
    const busy = await startTestInstance({
      file: { limits: { shed_loop_delay_ms: 200 } },
      watchLoop: watchEventLoopDelay,
    });
    const { session } = await busy.createUser();
    const call = () => busy.call("GET", "/v1/keys", { token: session });
    const isShed = async () => String((await call()).body.message).includes("overloaded");
    const isServed = async () => (await call()).status === 200;
    expect(await isServed()).toBe(true);
    const over = new AbortController();
    const shed = waitUntil(isShed, 40_000).finally(() => over.abort());
    // Each turn takes a third of a second, as on a machine with too much to do.
    while (!over.signal.aborted) {
      standStill(330);
      await nextTurn();
    }
    await shed;
    await waitUntil(isServed, 40_000);
    await busy.close();
  });
});

function standStill(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
