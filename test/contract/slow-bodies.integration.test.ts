import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { frame, opening, openRaw, rest } from "../gateway/websocket/raw-socket.ts";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";
import { sendOverHttp1, sendOverHttp2 } from "../support/unfinished-request.ts";

let causeway: TestInstance;
let user: TestUser;
let key: string;

/** As in the contract, but over a time that a test can wait for. */
beforeAll(async () => {
  const bodyPace = { bytesPerSecond: 8192, overMs: 300 };
  causeway = await startTestInstance({ bodyPace });
  user = await causeway.createUser();
  key = (await user.createKey()).secret;
});

afterAll(() => causeway.close());

const json = { "content-type": "application/json" };

/** Each place that reads a body: its name, its path, and the status of one that is too slow. */
const places = [
  ["a model call", "/v1/chat/completions", () => key, json, 408],
  ["the count of tokens", "/v1/responses/input_tokens", () => key, json, 408],
  ["a management operation", "/v1/teams", () => user.session, json, 408],
  ["an operation without a credential", "/v1/sign_in", () => "", json, 408],
  [
    "the upload of a capture",
    "/v1/admin/services/crm/traffic",
    () => causeway.adminToken,
    json,
    408,
  ],
  ["a Connect RPC", "/causeway.team.v1.TeamService/CreateTeam", () => user.session, json, 504],
  [
    "the page of an invite",
    "/invites/abc",
    () => "",
    { "content-type": "application/x-www-form-urlencoded" },
    408,
  ],
  ["a tool", "tools:/tools/package_health", () => "", json, 408],
  ["MCP", "tools:/mcp", () => "", { ...json, accept: "application/json, text/event-stream" }, 408],
] as const;

describe.each(places)(
  "a body of %s that is slower than allowed",
  (_, place, token, type, status) => {
    const request = (declared: number | undefined) => {
      const isTool = place.startsWith("tools:");
      const credential = token();
      return {
        url: isTool ? causeway.toolsUrl : causeway.url,
        path: place.replace("tools:", ""),
        headers: { ...type, ...(credential !== "" && { authorization: `Bearer ${credential}` }) },
        declared,
        sent: Buffer.from("{"),
      };
    };

    it.each([
      ["declared", 1000],
      ["chunked", undefined],
    ])(
      "[limits.held-bodies-slow] ends with its connection over HTTP/1.1 when it is %s",
      async (_framing, declared) => {
        const end = await sendOverHttp1(request(declared));
        expect([end.status, end.headers["connection"]]).toEqual([status, "close"]);
        expect(end.body).toContain("8 KiB/s");
      },
    );

    it.each([
      ["declared", 1000],
      ["without a length", undefined],
    ])(
      "[limits.held-bodies-slow] ends with its stream over HTTP/2 when it is %s",
      async (_framing, declared) => {
        const end = await sendOverHttp2(request(declared));
        expect(end.status).toBe(status);
        expect(end.body).toContain("8 KiB/s");
      },
    );
  },
);

describe("a body that arrives fast enough", () => {
  it("is read to its end however long that takes", async () => {
    async function* pieces() {
      yield Buffer.from('{"model":"m","messages":[],"pad":"');
      for (let count = 0; count < 12; count++) {
        await delay(50);
        yield Buffer.alloc(50_000, "x");
      }
      yield Buffer.from('"}');
    }
    const answer = await fetch(`${causeway.url}/v1/messages/count_tokens`, {
      method: "POST",
      headers: { ...json, authorization: `Bearer ${key}` },
      body: pieces(),
      duplex: "half",
    });
    expect(answer.status).toBe(200);
  });
});

describe("a message of a WebSocket that is slower than allowed", () => {
  it("ends with its connection", async () => {
    const socket = await openRaw(causeway.url, key);
    socket.write(frame(opening.text, Buffer.alloc(1000, 0x20)).subarray(0, 500));
    expect((await rest(socket)).toString()).toContain('"status":408');
  });
});
