import { once } from "node:events";
import { connect as connectHttp2, type ClientHttp2Session } from "node:http2";
import { connect } from "node:net";
import type { FastifyInstance } from "fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import type { HttpListenerLimits } from "../../../src/transport/front/front-limits.ts";
import {
  openRaw,
  startFront,
  until,
  type RawConnection,
  type RunningHttpFront,
} from "./start-front.ts";

const [local, other, third] = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];

function routes(app: FastifyInstance): void {
  app.get("/ok", () => ({ ok: true }));
  app.get("/half", (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200);
    reply.raw.write("half");
  });
}

async function start(
  limits: Partial<HttpListenerLimits>,
  trustedProxies: readonly string[] = [],
): Promise<RunningHttpFront> {
  return startFront(routes, limits, local, trustedProxies);
}

/** Opens a connection that is kept alive after a response. */
async function openIdle(front: RunningHttpFront, address?: string): Promise<RawConnection> {
  return openAndGet(front, "/ok", '{"ok":true}', address);
}

/** Opens a connection whose response has begun and does not end. */
async function openBusy(front: RunningHttpFront, address?: string): Promise<RawConnection> {
  return openAndGet(front, "/half", "half", address);
}

async function openAndGet(
  front: RunningHttpFront,
  path: string,
  expected: string,
  address?: string,
): Promise<RawConnection> {
  const raw = await openRaw(front, address);
  get(raw, path);
  await until(() => raw.received().includes(expected));
  return raw;
}

function get({ socket }: RawConnection, path: string): void {
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
}

/** Expects that connections are still served. */
async function expectServed(connections: readonly RawConnection[]): Promise<void> {
  for (const raw of connections) {
    const before = raw.received().length;
    get(raw, "/ok");
    await until(() => raw.received().length > before);
  }
}

async function openHttp2(front: RunningHttpFront, address: string): Promise<ClientHttp2Session> {
  const session = connectHttp2(front.url, {
    createConnection: () => connect({ port: front.port, host: front.host, localAddress: address }),
  });
  session.on("error", () => {});
  onTestFinished(() => session.destroy());
  await once(session, "remoteSettings");
  return session;
}

describe("a port with as many connections as it takes", () => {
  it("closes the longest idle connection of the address that has the most", async () => {
    const front = await start({ maxConnections: 4 });
    const alone = await openIdle(front, other);
    const busy = await openBusy(front);
    const [oldest, newest] = [await openIdle(front), await openIdle(front)];
    const newcomer = await openIdle(front, third);
    await oldest.closed;
    await expectServed([alone, newest, newcomer]);
    expect([busy.socket.closed, front.front.connectionCount]).toEqual([false, 4]);
  });

  it("counts a connection as idle from its last response on", async () => {
    const front = await start({ maxConnections: 2 });
    const first = await openIdle(front);
    const second = await openIdle(front);
    await expectServed([first]);
    await openIdle(front, other);
    await second.closed;
    await expectServed([first]);
  });

  it("closes a connection on which nothing has arrived", async () => {
    const front = await start({ maxConnections: 2 });
    const silent = await openRaw(front);
    await openRaw(front);
    await until(() => front.front.connectionCount === 2);
    const newcomer = await openIdle(front, other);
    await silent.closed;
    await expectServed([newcomer]);
    expect([silent.received(), front.front.connectionCount]).toEqual(["", 2]);
  });

  it("closes an idle HTTP/2 connection and none with an open stream", async () => {
    const front = await start({ maxConnections: 2 });
    const busy = await openHttp2(front, local);
    const stream = busy.request({ ":path": "/half" });
    await once(stream, "data");
    const idle = await openHttp2(front, local);
    await openIdle(front, other);
    await until(() => idle.destroyed);
    expect(busy.destroyed).toBe(false);
    stream.close();
    while (!busy.destroyed) await openIdle(front, other);
  });

  it("refuses another connection while all are busy", async () => {
    const front = await start({ maxConnections: 2, minAddressConnections: 2 });
    const busy = [await openBusy(front), await openBusy(front)];
    const newcomer = await openRaw(front, other);
    await newcomer.closed;
    expect([newcomer.received(), ...busy.map(({ socket }) => socket.closed)]).toEqual([
      "",
      false,
      false,
    ]);
  });

  it("closes a busy connection of an address that has more than its share", async () => {
    const front = await start({ maxConnections: 3, minAddressConnections: 1 });
    const small = await openBusy(front, other);
    const [oldest, newest] = [await openBusy(front), await openBusy(front)];
    const newcomer = await openIdle(front, third);
    await oldest.closed;
    await expectServed([newcomer]);
    expect([small, newest].map(({ socket }) => socket.closed)).toEqual([false, false]);
  });

  it("closes idle connections of a trusted proxy and no busy one", async () => {
    const limits = { maxConnections: 2, minAddressConnections: 1 };
    const front = await start(limits, [local]);
    const busy = await openBusy(front);
    const idle = await openIdle(front);
    await openBusy(front, other);
    await idle.closed;
    await (
      await openRaw(front, other)
    ).closed;
    expect(busy.socket.closed).toBe(false);
  });
});

describe("an address with as many connections as it may have", () => {
  it("gets another one for its longest idle one", async () => {
    const front = await start({ maxAddressConnections: 2 });
    const [busy, idle] = [await openBusy(front), await openIdle(front)];
    const [newcomer, elsewhere] = [await openIdle(front), await openIdle(front, other)];
    await idle.closed;
    await expectServed([newcomer, elsewhere]);
    expect(busy.socket.closed).toBe(false);
  });

  it("gets no other one while all of them are busy", async () => {
    const front = await start({ maxAddressConnections: 1 });
    const busy = await openBusy(front);
    const refused = await openRaw(front);
    await refused.closed;
    await expectServed([await openIdle(front, other)]);
    expect([refused.received(), busy.socket.closed]).toEqual(["", false]);
  });

  it.each([[local], ["127.0.0.0/8"], ["::1/128", local]])(
    "is not bounded if it is a trusted proxy (%s)",
    async (...proxies) => {
      const front = await start({ maxAddressConnections: 1 }, proxies);
      await expectServed([await openIdle(front), await openIdle(front), await openIdle(front)]);
      expect(front.front.connectionCount).toBe(3);
    },
  );
});
