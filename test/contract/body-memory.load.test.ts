import { once } from "node:events";
import { connect as connectHttp2, type OutgoingHttpHeaders } from "node:http2";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ModelService } from "../../gen/ts/causeway/model/v1/model_pb.ts";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";

let causeway: TestInstance;
let user: TestUser;
let key: string;

/** A mebibyte of each caller; ordinary bodies may have as much. */
beforeAll(async () => {
  causeway = await startTestInstance({ file: { limits: { held_bodies_mib: 4 } } });
  user = await causeway.createUser();
  key = (await user.createKey()).secret;
});

afterAll(() => causeway.close());

const mebibyte = 1024 * 1024;
const text = (bytes: number) =>
  JSON.stringify({ model: "m", messages: [{ content: "x".repeat(bytes) }] });
const tooMuch = text(1.5 * mebibyte);
const fits = text(0.5 * mebibyte);

const paths = ["/v1/messages/count_tokens", "/v1/chat/completions", "/v1/messages"];

function headers(body: string): Record<string, string> {
  const length = String(Buffer.byteLength(body));
  return {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "content-length": length,
  };
}

async function* inChunks(body: string): AsyncIterable<Buffer> {
  for (let at = 0; at < body.length; at += 65_536) yield Buffer.from(body.slice(at, at + 65_536));
}

/** A request over HTTP/2; `sent` follows the headers. */
async function overHttp2(path: string, more: OutgoingHttpHeaders, sent: string) {
  const session = connectHttp2(causeway.url);
  session.on("error", () => {});
  const { "content-length": _length, ...plain } = headers("");
  const stream = session.request({ ":method": "POST", ":path": path, ...plain, ...more });
  stream.on("error", () => {});
  if (sent !== "") stream.end(sent);
  const [head] = (await once(stream, "response")) as [Record<string, unknown>];
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  session.destroy();
  return { status: head[":status"], body: Buffer.concat(pieces) };
}

describe.each(paths)("a body to %s that is more than a caller may have held", (path) => {
  it("[limits.held-bodies-key] is 413 over HTTP/1.1, declared or not", async () => {
    const declared = await fetch(causeway.url + path, {
      method: "POST",
      headers: headers(tooMuch),
      body: tooMuch,
    });
    const { "content-length": _length, ...undeclared } = headers(tooMuch);
    const chunked = await fetch(causeway.url + path, {
      method: "POST",
      headers: undeclared,
      body: inChunks(tooMuch),
      duplex: "half",
    });
    for (const answer of [declared, chunked]) {
      expect(answer.status).toBe(413);
      expect(await answer.text()).toContain("1 MiB");
    }
  });

  it.each([
    ["announced", { "content-length": String(tooMuch.length) }, ""],
    ["sent", { "content-length": String(tooMuch.length) }, tooMuch],
    ["sent without its length", {}, tooMuch],
  ])("[limits.held-bodies-key] is 413 over HTTP/2 when it is %s", async (_, more, sent) => {
    const answer = await overHttp2(path, more, sent);
    expect(answer.status).toBe(413);
    expect(answer.body.toString()).toContain("1 MiB");
  });

  it("is not counted when its request has ended", async () => {
    for (let count = 0; count < 5; count++) {
      const answer = await fetch(causeway.url + path, {
        method: "POST",
        headers: headers(fits),
        body: fits,
      });
      expect(answer.status).not.toBe(429);
      await answer.text();
    }
  });
});

describe("a message that is more than a caller may have held", () => {
  const transports = [
    ["Connect", () => createConnectTransport({ baseUrl: causeway.url, httpVersion: "1.1" })],
    ["gRPC", () => createGrpcTransport({ baseUrl: causeway.url })],
  ] as const;
  it.each(transports)(
    "[limits.held-bodies-key] is resource_exhausted over %s, and may be sent smaller",
    async (_, transport) => {
      const client = createClient(ModelService, transport());
      const options = { headers: { authorization: `Bearer ${key}` } };
      const request = (body: string) => ({ body: JSON.parse(body) as never });
      await expect(client.countMessageTokens(request(tooMuch), options)).rejects.toMatchObject({
        code: 8,
        rawMessage: expect.stringContaining("1 MiB"),
      });
      const counted = await client.countMessageTokens(request(fits), options);
      expect(counted.inputTokens).toBeGreaterThan(0);
    },
  );

  it("is 413 where no caller may send so much, however much is held", async () => {
    const body = JSON.stringify({ name: "x".repeat(1.5 * mebibyte) });
    const answer = await causeway.call("POST", "/v1/teams", {
      token: user.session,
      body: JSON.parse(body),
    });
    expect(answer.status).toBe(413);
  });
});
