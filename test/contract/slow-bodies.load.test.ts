import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { frame, opening, openRaw, rest } from "../gateway/websocket/raw-socket.ts";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";
import {
  sendOverHttp1,
  sendOverHttp2,
  type UnfinishedEnd,
  type UnfinishedRequest,
} from "../support/unfinished-request.ts";

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

/** What becomes of a body at each place, declared or not, when all are slow at a time. */
async function endsOf(send: (request: UnfinishedRequest) => Promise<UnfinishedEnd>) {
  const ends = places.flatMap(([name, place, token, type]) =>
    [1000, undefined].map(async (declared) => {
      const credential = token();
      const { status, headers, body } = await send({
        url: place.startsWith("tools:") ? causeway.toolsUrl : causeway.url,
        path: place.replace("tools:", ""),
        headers: { ...type, ...(credential !== "" && { authorization: `Bearer ${credential}` }) },
        declared,
        sent: Buffer.from("{"),
      });
      return { name, declared, status, connection: headers["connection"], body };
    }),
  );
  return Promise.all(ends);
}

function expectedEnds(connection: string | undefined) {
  const body = expect.stringContaining("8 KiB/s");
  return places.flatMap(([name, , , , status]) =>
    [1000, undefined].map((declared) => ({ name, declared, status, connection, body })),
  );
}

describe("a body that is slower than allowed", () => {
  it("[limits.held-bodies-slow] ends with its connection over HTTP/1.1, at every place that reads one", async () => {
    expect(await endsOf(sendOverHttp1)).toEqual(expectedEnds("close"));
  });

  it("[limits.held-bodies-slow] ends with its stream over HTTP/2, at every place that reads one", async () => {
    expect(await endsOf(sendOverHttp2)).toEqual(expectedEnds(undefined));
  });
});

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
