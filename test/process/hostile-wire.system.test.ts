import { gzipSync } from "node:zlib";
import { once } from "node:events";
import { connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { connect, type Socket } from "node:net";
import { create } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import {
  afterAll,
  afterEach,
  assert,
  beforeAll,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from "vitest";
import {
  flag,
  frame,
  frameType,
  headerBlock,
  number32,
  preface,
  readFrames,
  statusOf,
  type ReceivedFrame,
} from "../fuzz/wire/http2-frames.ts";
import { AccountService } from "../../gen/ts/causeway/account/v1/account_pb.ts";
import { ErrorInfoSchema } from "../../gen/ts/causeway/error/v1/error_pb.ts";
import { VendorService } from "../../gen/ts/causeway/vendor/v1/vendor_pb.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { createTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { sendRaw } from "./support/raw-request.ts";

vi.setConfig({ testTimeout: 20_000, hookTimeout: 120_000 });

/** One server for all of it, which nothing here may end. */
let database: TestDatabase;
let server: ServerProcess;
beforeAll(async () => {
  database = await createTestDatabase();
  server = await startServer({ databaseUrl: database.connectionString });
});
afterAll(async () => {
  await server.end();
  await database.drop();
});
/** Anything that ends it, or would without its guard, fails the test that did it. */
afterEach(async () => {
  for (const url of [server.url, server.toolsUrl]) assert((await fetch(`${url}/healthz`)).ok);
  assert(!server.process.stderr.includes("uncaught"), server.process.stderr);
});

const procedures = [
  ["gateway", "/causeway.account.v1.AccountService/StartSignIn", () => server.url],
  ["tools", "/causeway.depshealth.v1.DepshealthService/PackageHealth", () => server.toolsUrl],
] as const;

const envelopeTypes = [
  "application/grpc-web+proto",
  "application/grpc",
  "application/connect+json",
] as const;

/** Of a message that says it is compressed, and of five letters with no field in them. */
const brokenEnvelopes = {
  "a compressed flag without encoding": Buffer.from("ff000000030a0161", "hex"),
  "a malformed message": envelope(Buffer.from("hello")),
};

describe.each(procedures)("on the %s port, a call", (_port, path, url) => {
  describe.each(envelopeTypes)("of %s", (type) => {
    it.each(Object.entries(brokenEnvelopes))("is refused for %s", async (_name, body) => {
      const text = await callTwice(url(), path, type, body);
      expect(text).toMatch(/^HTTP\/1\.1 100 [^]*HTTP\/1\.1 \d+ [^]*HTTP\/1\.1 200 /);
      expect(text).not.toMatch(/grpc-status: 13|"internal"/);
    });

    it("is refused for a message of 2 MiB, and the next call is answered behind it", async () => {
      const body = envelope(Buffer.alloc(2 * 1024 * 1024, "a"));
      expect(await callTwice(url(), path, type, body)).toMatch(
        /HTTP\/1\.1 200 OK[^]*\{"status":"ok"\}$/,
      );
    });
  });

  it.each(["application/grpc-web+json", "application/grpc+json"])(
    "of %s that quotes half a surrogate pair back is answered",
    async (type) => {
      const text = await callTwice(url(), path, type, envelope(Buffer.from(String.raw`"\ud800"`)));
      expect(text).toContain("grpc-status: 3");
    },
  );

  it("taken back in the packet that asks for a 100 leaves its connection as it is", async () => {
    const head = http2Head("POST", path, [["expect", "100-continue"]]);
    const socket = openSocket(url());
    socket.write(
      Buffer.concat([
        ...http2Start,
        frame(frameType.headers, flag.endHeaders, 1, head),
        frame(frameType.reset, 0, 1, number32(8)),
        frame(frameType.ping, 0, 0, Buffer.from("stay up!")),
      ]),
    );
    expect(await readUntil(socket, (bytes) => bytes.includes("stay up!"))).toBeDefined();
  });
});

describe("a malformed message over Connect", () => {
  it.each(["application/proto", "application/json"])("of %s is invalid_argument", async (type) => {
    const answer = await fetch(`${server.toolsUrl}${procedures[1][1]}`, {
      method: "POST",
      headers: { "content-type": type },
      body: "hello",
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: "invalid_argument",
      details: [{ debug: { code: "invalid_request" } }],
    });
  });
});

describe("what is said to be compressed and is cut off", () => {
  it("is invalid_argument over Connect", async () => {
    const answer = await fetch(`${server.toolsUrl}${procedures[1][1]}`, {
      method: "POST",
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      body: gzipSync("{}").subarray(0, 12),
    });
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: "invalid_argument" }]);
  });
});

describe("a time that no calendar has", () => {
  const expiresAt = create(TimestampSchema, { seconds: 2n ** 62n });

  it("is refused with its param over Connect", async () => {
    const user = await server.createUser();
    const transport = createConnectTransport({
      baseUrl: server.url,
      httpVersion: "1.1",
      useBinaryFormat: true,
    });
    const options = { headers: { authorization: `Bearer ${user.session}` } };
    const keys = createClient(AccountService, transport);
    expect(await paramOf(keys.createKey({ name: "a", expiresAt }, options))).toBe("expires_at");
    const vendors = createClient(VendorService, transport);
    const login = { case: "login", value: { accessToken: "a", expiresAt } } as const;
    const link = vendors.linkVendor({ vendor: "openai", credential: login }, options);
    expect(await paramOf(link)).toBe("login.expires_at");
  });

  async function paramOf(call: Promise<unknown>): Promise<string | undefined> {
    const error = ConnectError.from(await call.catch((refusal: unknown) => refusal));
    return error.findDetails(ErrorInfoSchema)[0]?.param;
  }
});

describe("a header that may stand once", () => {
  const get = (lines: string): string =>
    `GET /v1/teams HTTP/1.1\r\n${lines}\r\nconnection: close\r\n\r\n`;

  it.each([
    ["two credentials", "host: a\r\nauthorization: Bearer a\r\nauthorization: Bearer b"],
    ["two x-api-keys", "host: a\r\nx-api-key: a\r\nx-api-key: b"],
  ])("%s are refused with 401", async (_name, lines) => {
    expect(await sendRaw(server.url, get(lines))).toMatchObject({
      statuses: [401],
      body: { error: "unauthorized" },
    });
  });

  it.each([
    ["two hosts", "host: a\r\nhost: b"],
    ["a host with a space", "host: a b"],
    ["an empty host", "host:"],
    ["a host with a path", "host: a/b"],
    ["a host with a user", "host: me@a"],
  ])("%s is refused with 400", async (_name, lines) => {
    expect(await sendRaw(server.url, get(lines))).toMatchObject({
      statuses: [400],
      body: { error: "invalid_request", param: "host" },
    });
  });

  it.each(["host: a", "host: a:80", "host: [::1]:80", "host: xn--a_b.example."])(
    "%s is taken",
    async (line) => {
      expect(await sendRaw(server.url, get(line))).toMatchObject({ statuses: [401] });
    },
  );

  it("holds for credentials over HTTP/2 too", async () => {
    const { secret } = await (await server.createUser()).createKey({ scopes: ["teams:read"] });
    const first = ["authorization", `Bearer ${secret}`] as const;
    expect(await statusOverHttp2("/v1/teams", [first])).toBe(200);
    const second = ["authorization", "Bearer another"] as const;
    expect(await statusOverHttp2("/v1/teams", [first, second])).toBe(401);
  });

  it("refuses a host that no URL can have over Connect", async () => {
    const [, path] = procedures[0];
    const head = `POST ${path} HTTP/1.1\r\nhost: a:99999\r\ncontent-type: application/json\r\n`;
    const bytes = `${head}content-length: 2\r\nconnection: close\r\n\r\n{}`;
    expect(await sendRaw(server.url, bytes)).toMatchObject({
      statuses: [400],
      body: { error: "invalid_request", param: "host" },
    });
  });
});

describe("the page of an invite", () => {
  it("opens over HTTP/2", async () => {
    const session = connectHttp2(server.url);
    onTestFinished(() => session.destroy());
    const stream = session.request({ ":path": "/invites/inv_unknown" });
    const [answer] = (await once(stream, "response")) as [IncomingHttpHeaders];
    expect(answer[":status"]).toBe(200);
    expect((await stream.setEncoding("utf8").toArray()).join("")).toContain("<!doctype html>");
  });
});

function envelope(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function openSocket(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** What has come, as soon as it is enough. */
async function readUntil(socket: Socket, isEnough: (bytes: Buffer) => boolean): Promise<Buffer> {
  let received = Buffer.alloc(0);
  while (!isEnough(received)) {
    const [bytes] = (await once(socket, "data")) as [Buffer];
    received = Buffer.concat([received, bytes]);
  }
  return received;
}

/**
 * Sends the body of a call when its head has been read, and on the same connection
 * asks for `/healthz` when the call is answered. What came, until the server closed.
 */
async function callTwice(url: string, path: string, type: string, body: Buffer): Promise<string> {
  const socket = openSocket(url);
  const closed = once(socket, "close");
  let text = "";
  const hear = (part: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => void (text.includes(part) && resolve());
      socket.on("data", look);
    });
  socket.on("data", (bytes: Buffer) => (text += bytes.toString("latin1")));
  const asked = hear("100 Continue");
  const head = `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: ${type}\r\nexpect: 100-continue\r\n`;
  socket.write(`${head}connect-protocol-version: 1\r\ncontent-length: ${body.length}\r\n\r\n`);
  await asked;
  socket.write(body);
  socket.write("GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  await closed;
  return text;
}

type Fields = readonly (readonly [name: string, value: string])[];

const http2Start = [preface, frame(frameType.settings, 0, 0)];

function http2Head(method: string, path: string, fields: Fields): Buffer {
  const pseudo: Fields = [
    [":method", method],
    [":scheme", "http"],
    [":path", path],
    [":authority", "a"],
  ];
  return headerBlock([...pseudo, ["content-type", "application/json"], ...fields]);
}

/** What no client sends: Node's own refuses a header that stands twice. */
async function statusOverHttp2(path: string, fields: Fields): Promise<number | undefined> {
  const socket = openSocket(server.url);
  const flags = flag.endHeaders + flag.endStream;
  const call = frame(frameType.headers, flags, 1, http2Head("GET", path, fields));
  socket.write(Buffer.concat([...http2Start, call]));
  const isHead = ({ type }: ReceivedFrame): boolean => type === frameType.headers;
  const bytes = await readUntil(socket, (bytes) => readFrames(bytes).some(isHead));
  const head = readFrames(bytes).find(isHead);
  return head && statusOf(head.payload);
}
