/** A caller that leaves while the server reads its request for a stream. */
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";

let causeway: TestInstance;
beforeAll(async () => {
  causeway = await startTestInstance();
});
afterAll(() => causeway.close());

describe("a client that leaves in the middle of its request", () => {
  it.each([
    ["HTTP/1.1", leaveHttp1],
    ["HTTP/2", leaveHttp2],
  ])("is no failure of the server over %s", async (_name, leave) => {
    const user = await causeway.createUser();
    const known = causeway.logLines().length;
    await leave(user.session);
    const lines = () => causeway.logLines().slice(known);
    await waitUntil(() => lines().some(({ status }) => status === 499));
    // What is logged of the call comes within the turns after its line: a call that follows is later.
    await causeway.call("GET", "/v1/me", { token: user.session });
    await causeway.call("GET", "/v1/me", { token: user.session });
    expect(lines().filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });
});

const procedure = "/causeway.alias.v1.AliasService/WatchAliases";
/** The first half of a message of two bytes. */
const halfMessage = Buffer.from([0, 0, 0, 0, 2, 0x7b]);

async function leaveHttp1(token: string): Promise<void> {
  const { port, hostname } = new URL(causeway.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const head = [
    `POST ${procedure} HTTP/1.1`,
    `host: ${hostname}`,
    `authorization: Bearer ${token}`,
    "content-type: application/connect+json",
    "content-length: 7",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  socket.write(halfMessage);
  await isAuthenticated(token);
  socket.destroy();
}

async function leaveHttp2(token: string): Promise<void> {
  const session = connectHttp2(causeway.url);
  const stream = session.request({
    ":method": "POST",
    ":path": procedure,
    authorization: `Bearer ${token}`,
    "content-type": "application/connect+json",
  });
  stream.on("error", () => undefined);
  stream.write(halfMessage);
  await isAuthenticated(token);
  session.destroy();
}

/** A call that comes after the half one has passed the gate when it is answered. */
async function isAuthenticated(token: string): Promise<void> {
  for (let round = 0; round < 5; round += 1) await causeway.call("GET", "/v1/me", { token });
}
