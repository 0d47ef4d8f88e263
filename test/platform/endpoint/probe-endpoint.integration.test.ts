import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { Secret } from "../../../src/platform/crypto/secret.ts";
import { Dialer } from "../../../src/platform/dial/dialer.ts";
import { normalizeEndpointBaseUrl } from "../../../src/platform/endpoint/base-address.ts";
import {
  probeEndpointModels,
  type EndpointProbeVariant,
  type EndpointProbeResult,
  type EndpointProbeTarget,
} from "../../../src/platform/endpoint/probe-endpoint.ts";
import { closedPort } from "../../support/closed-port.ts";
import { sendJson, startLoopbackServer } from "../../support/loopback-server.ts";
import { refusedAddresses } from "../dial/refused-addresses.ts";

const chat: EndpointProbeVariant = { dialect: "dialect_chat", authStyle: "bearer" };
const messages: EndpointProbeVariant = { dialect: "dialect_messages", authStyle: "x-api-key" };
const responses: EndpointProbeVariant = { dialect: "dialect_responses", authStyle: "bearer" };
const auto = [chat, messages];

const chatList = {
  object: "list",
  data: [
    { id: "a", object: "model" },
    { id: "b", object: "model" },
  ],
};
const messagesList = { data: [{ type: "model", id: "c", display_name: "Sea" }] };

/** Those that the URL parser would let through to a dial, had nobody looked at their text. */
const blockedAddresses = refusedAddresses.filter(([, address]) => {
  const url = URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== "example.com";
});

describe("probeEndpointModels()", () => {
  it("[probe.request] asks for the list with the key in the dialect's own style and the extra headers", async () => {
    const seen: IncomingMessage[] = [];
    const listener: RequestListener = (request, response) => {
      seen.push(request);
      sendJson(response, 200, chatList);
    };
    await probe(listener, [chat]);
    await probe(listener, [messages]);
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /v1/models",
      "GET /v1/models",
    ]);
    expect(seen[0]?.headers).toMatchObject({ authorization: wire("Bearer key-é"), "x-extra": "1" });
    expect(seen[0]?.headers["x-api-key"]).toBeUndefined();
    expect(seen[1]?.headers).toMatchObject({
      "x-api-key": wire("key-é"),
      "anthropic-version": "2023-06-01",
    });
    expect(seen[1]?.headers.authorization).toBeUndefined();
  });

  it("reports the models", async () => {
    const result = await probe((_, response) => sendJson(response, 200, chatList), [chat]);
    expect(result).toMatchObject({
      error: undefined,
      dialect: "dialect_chat",
      models: [{ id: "a" }, { id: "b" }],
    });
  });

  it.each<[string, string, RequestListener]>([
    [
      "http_401",
      "a refused key",
      (_, response) => sendJson(response, 401, { error: "secret text" }),
    ],
    ["http_500", "a failing server", (_, response) => sendJson(response, 500, {})],
    ["http_429", "a full server", (_, response) => sendJson(response, 429, {})],
    ["http_404", "a server that knows nothing", (_, response) => sendJson(response, 404, {})],
    ["not_json", "HTML", (_, response) => response.end("<html></html>")],
    ["not_json", "truncated JSON", (_, response) => response.end('{"data": [')],
    [
      "not_json",
      "JSON that is no list",
      (_, response) => sendJson(response, 200, { status: "ok" }),
    ],
    ["not_json", "nothing", (_, response) => response.end()],
    [
      "redirect",
      "a redirect",
      (_, response) => response.writeHead(302, { location: "/v1/models?" }).end(),
    ],
    ["too_large", "two mebibytes", (_, response) => response.end(`[${" ".repeat(2 ** 21)}]`)],
    ["connect", "a reset", (request) => request.socket.destroy()],
    [
      "connect",
      "an answer that is not HTTP",
      (request) => request.socket.end("SSH-2.0-OpenSSH\r\n"),
    ],
    ["connect", "a body that breaks off", (_, response) => breakOff(response)],
  ])("[probe.limits] [probe.vocabulary] reports %s for %s", async (fault, _, listener) => {
    for (const attempts of [[chat], [messages], auto]) {
      const result = await probe(listener, attempts);
      expect(result).toEqual({ error: fault, models: [], dialect: undefined });
    }
  });

  it("never waits for the rest of an answer that it does not want", async () => {
    const result = await probe((_, response) => {
      response.writeHead(401, { "content-length": "1000" }).write("{");
    }, auto);
    expect(result.error).toBe("http_401");
  });

  it("reports connect for a closed port", async () => {
    expect((await probeAddress(`http://127.0.0.1:${await closedPort()}`, auto)).error).toBe(
      "connect",
    );
  });

  it("[probe.vocabulary] reports tls for a server without TLS", async () => {
    const server = await startLoopbackServer((_, response) => response.end());
    expect((await probeAddress(`https://127.0.0.1:${server.port}`, auto)).error).toBe("tls");
  });

  it("[probe.vocabulary] reports dns for an unknown name", async () => {
    expect((await probeAddress("https://nowhere.example", auto)).error).toBe("dns");
  });

  it("[probe.vocabulary] reports blocked_address for what policy refuses", async () => {
    expect((await probeAddress("http://10.0.0.1:80", auto)).error).toBe("blocked_address");
  });

  it.each(blockedAddresses)("dials nothing for %s: %s", async (_, address) => {
    const dialer = new Dialer({ allow: [], connectMs: 100, lookup });
    onTestFinished(() => dialer.close());
    const target = { ...targetAt(address), headers: {} };
    expect((await probeEndpointModels(dialer, target, [chat])).error).toBe("blocked_address");
  });

  it("[probe.limits] reports timeout for a connection that does not come about", async () => {
    expect((await probeAddress("https://slow.example", auto)).error).toBe("timeout");
  });

  it.each<[string, RequestListener]>([
    ["no answer", () => {}],
    ["an answer that never ends", (_, response) => void response.writeHead(200).write("[")],
  ])("reports timeout for %s", async (_, listener) => {
    const server = await startLoopbackServer(listener);
    const dialer = openDialer();
    const target = { ...targetAt(server.origin), timeoutMs: 100 };
    expect((await probeEndpointModels(dialer, target, auto)).error).toBe("timeout");
    await server.allClosed(1);
  });

  it("[probe.auto] tries the other style when the first is refused", async () => {
    const result = await probe((request, response) => {
      if (request.headers["x-api-key"] === undefined) sendJson(response, 401, {});
      else sendJson(response, 200, { data: [{ id: "m" }] });
    }, auto);
    expect(result).toMatchObject({
      error: undefined,
      dialect: "dialect_messages",
      models: [{ id: "m" }],
    });
  });

  it("believes the form of the list", async () => {
    const listed = await probe((_, response) => sendJson(response, 200, messagesList), auto);
    expect(listed).toMatchObject({
      dialect: "dialect_messages",
      models: [{ id: "c", name: "Sea" }],
    });
    const unclear = await probe(
      (_, response) => sendJson(response, 200, { data: [{ id: "m" }] }),
      auto,
    );
    expect(unclear.dialect).toBe("dialect_chat");
  });

  it.each([
    ["dialect_messages", "x-api-key", chatList],
    ["dialect_chat", "authorization", messagesList],
  ] as const)(
    "[probe.auto-style] finds %s where only %s is answered, whatever the list",
    async (dialect, header, list) => {
      const result = await probe((request, response) => {
        if (request.headers[header] === undefined) sendJson(response, 401, {});
        else sendJson(response, 200, list);
      }, auto);
      expect(result).toMatchObject({ error: undefined, dialect });
    },
  );

  it.each([
    ["/v1/chat/completions", auto, "dialect_chat"],
    ["/v1/messages", auto, "dialect_messages"],
    ["/v1/responses", [responses], "dialect_responses"],
  ])(
    "[probe.one-token] asks an endpoint without a list for one token: %s",
    async (path, attempts, dialect) => {
      const calls: Promise<unknown>[] = [];
      const result = await probe((request, response) => {
        if (request.url === path) calls.push(bodyOf(request));
        sendJson(response, request.url === path ? 200 : 405, {});
      }, attempts);
      expect(result).toEqual({ error: undefined, dialect, models: [] });
      expect(await Promise.all(calls)).toEqual([expect.objectContaining({ model: "known-model" })]);
    },
  );

  it("takes a refused one-token call for an endpoint that is there", async () => {
    const result = await probe(
      ({ method }, response) => sendJson(response, method === "GET" ? 404 : 400, {}),
      [chat],
    );
    expect(result.error).toBeUndefined();
  });

  it("reports what the one-token call says of the key", async () => {
    const result = await probe(
      ({ method }, response) => sendJson(response, method === "GET" ? 404 : 403, {}),
      [messages],
    );
    expect(result.error).toBe("http_403");
  });
});

async function probe(
  listener: RequestListener,
  attempts: readonly EndpointProbeVariant[],
): Promise<EndpointProbeResult> {
  const server = await startLoopbackServer(listener);
  return probeAddress(server.origin, attempts);
}

function probeAddress(
  address: string,
  attempts: readonly EndpointProbeVariant[],
): Promise<EndpointProbeResult> {
  return probeEndpointModels(openDialer(), targetAt(address), attempts);
}

function openDialer(): Dialer {
  const dialer = new Dialer({ allow: ["127.0.0.1:*"], connectMs: 100, lookup });
  onTestFinished(() => dialer.close());
  return dialer;
}

function targetAt(address: string): EndpointProbeTarget {
  return {
    baseUrl: normalizeEndpointBaseUrl(address),
    poolKey: "probe",
    credential: new Secret("key-é"),
    headers: { "x-extra": "1" },
    model: "known-model",
  };
}

function lookup(hostname: string): Promise<never> {
  if (hostname === "slow.example") return new Promise(() => {});
  return Promise.reject(Object.assign(new Error("unknown"), { code: "ENOTFOUND" }));
}

function breakOff(response: ServerResponse): void {
  response.writeHead(200, { "content-length": "1000" });
  response.write("[", () => response.destroy());
}

/** UTF-8 as Node's server reads it. */
function wire(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}
