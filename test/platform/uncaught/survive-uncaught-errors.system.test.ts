import { once } from "node:events";
import { request as requestHttp1, type IncomingMessage } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import type { Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { CausewayProcess } from "../../support/causeway-process.ts";
import { startLoopbackServer } from "../../support/loopback-server.ts";

/** Posts a body and waits until the server has closed the connection. */
type PostUntilClosed = (path: string) => Promise<void>;

let server: CausewayProcess;
let url: string;
beforeAll(async () => {
  const program = join(import.meta.dirname, "processes/failing-server.ts");
  server = CausewayProcess.start([], { command: [process.execPath, program] });
  const [port] = await server.line(/^\d+$/);
  url = `http://127.0.0.1:${port}`;
});
afterAll(() => server.signal("SIGKILL"));

const protocols: readonly [string, PostUntilClosed][] = [
  [
    "HTTP/1.1",
    async (path) => {
      const request = requestHttp1(`${url}${path}`, { method: "POST", agent: false });
      request.on("error", () => undefined).on("response", (response) => response.resume());
      request.end("ab");
      const [socket] = (await once(request, "socket")) as [Socket];
      await new Promise<void>((resolve) => socket.once("close", () => resolve()));
    },
  ],
  [
    "HTTP/2",
    async (path) => {
      const session = connectHttp2(url).on("error", () => undefined);
      const stream = session.request({ ":path": path, ":method": "POST" });
      stream.on("error", () => undefined).resume();
      stream.end("ab");
      await new Promise<void>((resolve) => session.once("close", () => resolve()));
    },
  ],
];

describe.each(protocols)("an error that nobody catches, over %s", (_name, postUntilClosed) => {
  it.each(["/timer", "/tick", "/promise", "/body", "/finish"])(
    "ends its connection alone: %s",
    async (path) => {
      const stream = await openStream();
      const before = await survived();
      await postUntilClosed(path);
      expect(await stream.end()).toBe("first last");
      expect(await survived()).toBe(before + 1);
    },
  );
});

describe("an error that nobody catches", () => {
  it("is logged at error level with its connection, and counted", async () => {
    const before = await survived();
    const request = requestHttp1(`${url}/timer`, { method: "POST", agent: false });
    request.on("error", () => undefined).end();
    const [socket] = await once(request, "socket");
    await once(socket, "connect");
    const peer = `127.0.0.1 ${socket.localPort}`;
    const [line] = await server.logLine(new RegExp(`.*"peer":"${peer}".*`));
    expect(JSON.parse(line)).toMatchObject({
      level: 50,
      direction: "inbound",
      origin: "uncaughtException",
      err: { message: "nobody catches this", stack: expect.stringContaining("failing-server") },
      msg: "an uncaught error ends its connection",
    });
    expect(await survived()).toBe(before + 1);
  });

  it("thrown at the server itself, ends the connection of the request", async () => {
    await fetch(`${url}/next-request`, { method: "POST" });
    await expect(survived()).rejects.toThrow("fetch failed");
    expect(await survived()).toBeGreaterThan(0);
  });

  it("ends the connection to the upstream that it belongs to, and the call hears of it", async () => {
    const upstream = await startLoopbackServer((_request, response) => {
      response.writeHead(200).write("first");
    });
    const headers = { "x-upstream": upstream.origin };
    const answer = await fetch(`${url}/upstream`, { method: "POST", headers });
    expect(await answer.json()).toEqual({ end: "UND_ERR_SOCKET" });
    await server.logLine(/"direction":"outbound"/);
  });

  it("in one of several gathered writes, ends its own connection and holds up no other", async () => {
    const before = await survived();
    const [first, , third] = await Promise.all([
      post("/gathered/0"),
      expect(post("/gathered/1")).rejects.toThrow("fetch failed"),
      post("/gathered/2"),
    ]);
    expect([first, third]).toEqual(["first", "third"]);
    expect(await survived()).toBe(before + 1);
  });

  it("of no connection ends the process, with code 1 and a line that says so", async () => {
    await fetch(`${url}/doubt`).catch(() => undefined);
    const { code, stderr } = await server.ended();
    expect(code).toBe(1);
    expect(stderr).toMatch(/"level":60,.*"msg":"an uncaught error ends the process"/);
  });
});

async function survived(): Promise<number> {
  return Number(await (await fetch(`${url}/survived`)).text());
}

async function post(path: string): Promise<string> {
  return (await fetch(`${url}${path}`, { method: "POST" })).text();
}

/** Another caller, in the middle of its answer. */
async function openStream(): Promise<{ end: () => Promise<string> }> {
  const request = requestHttp1(`${url}/stream`, { agent: false }).end();
  onTestFinished(() => void request.destroy());
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return {
    end: async () => {
      await fetch(`${url}/end-stream`);
      return (await response.setEncoding("utf8").toArray()).join("");
    },
  };
}
