import type { ServerResponse } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DnsLookup } from "../../../src/platform/dial/checked-connector.ts";
import { classifyDialFailure } from "../../../src/platform/dial/dial-failure.ts";
import { DialDeniedError } from "../../../src/platform/dial/dial-denied-error.ts";
import { Dialer, type DialerOptions } from "../../../src/platform/dial/dialer.ts";
import { closedPort } from "../../support/closed-port.ts";
import { startLoopbackServer } from "../../support/loopback-server.ts";
import { refusedAddresses } from "./refused-addresses.ts";

const loopback = { address: "127.0.0.1", family: 4 };
const elsewhere = { address: "93.184.216.34", family: 4 };

const toElsewhere: DnsLookup = async () => [elsewhere];
const toTwoOfLoopback: DnsLookup = async () => [loopback, { address: "127.0.0.2", family: 4 }];
const neverAnswers: DnsLookup = () => new Promise(() => {});
const unknownName: DnsLookup = async () => {
  throw Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
};

describe("Dialer.parseAddress()", () => {
  it.each(refusedAddresses)("refuses %s: %s", (_, address) => {
    expect(() => createDialer().parseAddress(address)).toThrow(DialDeniedError);
  });

  it.each([
    "https://api.example.com",
    "https://api.example.com/",
    "https://api.example.com:8443/v1",
    "https://1.1.1.1/v1",
    "https://[2606:4700:4700::1111]/v1",
    "https://[64:ff9b::101:101]/v1",
    "https://bücher.example/v1/@scope/a..b",
    "HTTPS://API.EXAMPLE.COM/v1",
  ])("takes %s", (address) => {
    expect(createDialer().parseAddress(address).protocol).toBe("https:");
  });

  it.each([
    ["https://10.0.0.5:8080/v1", "10.0.0.5:8080 is a private", "=10.0.0.5:8080"],
    ["http://2130706433/v1", "2130706433:80 is a private", "=127.0.0.1:80"],
    ["https://[::1]:8443", "[::1]:8443 is a private", "=[::1]:8443"],
    ["https://db.internal", "db.internal:443 is a name of an internal", "=db.internal:443"],
  ])(
    "[environment.allow-line] names %s as sent and prints the line that allows it",
    (address, fact, line) => {
      const message = refusalOf(() => createDialer().parseAddress(address)).message;
      expect(message).toContain(fact);
      expect(message).toContain(`CAUSEWAY_UPSTREAM_ALLOW${line}`);
      const allowed = message.slice(message.indexOf(line) + 1);
      expect(createDialer({ allow: [allowed] }).parseAddress(address)).toBeInstanceOf(URL);
    },
  );

  it.each([
    "https://169.254.169.254/",
    "https://[fe80::1]/",
    "https://0.0.0.0:80/",
    "https://224.0.0.1/",
    "https://168.63.129.16/",
    "https://[::ffff:169.254.169.254]/",
    "https://metadata.google.internal/",
  ])("[environment.never] refuses %s whatever is allowed", (address) => {
    const allow = ["0.0.0.0/0:*", "[::/0]:*", "metadata.google.internal:*"];
    const refusal = refusalOf(() => createDialer({ allow }).parseAddress(address));
    expect(refusal.reason).toBe("never");
    expect(refusal.message).not.toContain("CAUSEWAY_UPSTREAM_ALLOW");
  });

  it("[environment.file-allowed] takes what the operator set in the configuration file", () => {
    const dialer = createDialer({ operatorAddresses: ["http://127.0.0.1:9001/v1"] });
    expect(dialer.parseAddress("http://127.0.0.1:9001/v1").port).toBe("9001");
    expect(() => dialer.parseAddress("http://127.0.0.1:9002/v1")).toThrow(DialDeniedError);
  });

  it.each(["127.0.0.1", "0.0.0.0", "::", "localhost"])(
    "[environment.never] refuses its own listener on %s although it is allowed",
    (bound) => {
      const dialer = createDialer({ allow: ["127.0.0.1:*", "[::1]:*"] });
      dialer.addListener(bound, 8080);
      const refusal = refusalOf(() => dialer.parseAddress("http://127.0.0.1:8080"));
      expect(refusal.reason).toBe("never");
      expect(() => dialer.parseAddress("http://[::ffff:127.0.0.1]:8080")).toThrow(DialDeniedError);
      expect(dialer.parseAddress("http://127.0.0.1:8081").port).toBe("8081");
    },
  );
});

describe("Dialer.assertAllowed()", () => {
  it("[base-url.message] refuses a name when any of its addresses is bad, and does not show the address", async () => {
    const dialer = createDialer({ lookup: async () => [elsewhere, loopback] });
    const refusal = await rejectionOf(dialer.assertAllowed(new URL("https://api.example.com")));
    expect(refusal).toBeInstanceOf(DialDeniedError);
    expect(refusal.message).toContain("api.example.com:443 resolves to a private");
    expect(refusal.message).toContain("CAUSEWAY_UPSTREAM_ALLOW=api.example.com:443");
    expect(refusal.message).not.toContain("127.0.0.1");
  });

  it("passes a public name, and a name that does not resolve", async () => {
    const url = new URL("https://api.example.com");
    for (const lookup of [toElsewhere, unknownName]) {
      await expect(createDialer({ lookup }).assertAllowed(url)).resolves.toBeUndefined();
    }
  });

  it("[environment.allow] wants TLS unless the name or all its addresses are allowed", async () => {
    const url = new URL("http://api.example.com:8000");
    const refused = createDialer({ lookup: toElsewhere }).assertAllowed(url);
    expect((await rejectionOf(refused)).message).toContain("without TLS");
    const unresolved = createDialer({ lookup: unknownName }).assertAllowed(url);
    expect(await rejectionOf(unresolved)).toBeInstanceOf(DialDeniedError);
    const lookup = toElsewhere;
    await createDialer({ lookup, allow: ["api.example.com:8000"] }).assertAllowed(url);
    await createDialer({ lookup, allow: ["93.184.0.0/16:8000"] }).assertAllowed(url);
  });
});

describe("Dialer.dispatcher()", () => {
  it("reaches an allowed literal", async () => {
    const server = await startLoopbackServer((_, response) => response.end("here"));
    const dialer = createDialer({ allow: [`127.0.0.1:${server.port}`] });
    expect(await textOf(dialer, server.origin)).toBe("here");
  });

  it.each(["127.0.0.1", "[::ffff:127.0.0.1]", "0177.0.0.1", "127.1"])(
    "refuses the literal %s at the dial, without any earlier check",
    async (host) => {
      const server = await startLoopbackServer((_, response) => response.end());
      const dialer = createDialer();
      const failed = textOf(dialer, new URL(`http://${host}:${server.port}`).origin);
      expect(classifyDialFailure(await rejectionOf(failed))).toBe("blocked_address");
      expect(server.connections()).toBe(0);
    },
  );

  it("sends the name as Host and connects to the address that was checked", async () => {
    const server = await startLoopbackServer((request, response) =>
      response.end(request.headers.host),
    );
    const allow = [`gpu.internal:${server.port}`];
    const dialer = createDialer({ allow, lookup: async () => [loopback] });
    const origin = `http://gpu.internal:${server.port}`;
    expect(await textOf(dialer, origin)).toBe(`gpu.internal:${server.port}`);
  });

  it("[base-url.every-dial] refuses a name that has turned to loopback since it was checked", async () => {
    const server = await startLoopbackServer((_, response) => response.end());
    let calls = 0;
    const lookup: DnsLookup = async () => [calls++ % 2 === 0 ? elsewhere : loopback];
    const dialer = createDialer({ lookup });
    const url = new URL(`https://flip.example:${server.port}`);
    await dialer.assertAllowed(url);
    const failed = await rejectionOf(textOf(dialer, url.origin));
    expect(classifyDialFailure(failed)).toBe("blocked_address");
    expect(failed.message).not.toContain("127.0.0.1");
    expect(server.connections()).toBe(0);
  });

  it("looks a name up anew for every connection and not for every request", async () => {
    const server = await startLoopbackServer((_, response) => response.end());
    let lookups = 0;
    const dialer = createDialer({
      allow: [`gpu.internal:${server.port}`],
      lookup: async () => {
        lookups += 1;
        return [loopback];
      },
    });
    const origin = `http://gpu.internal:${server.port}`;
    for (let count = 0; count < 20; count++) await textOf(dialer, origin);
    const connections = server.connections();
    expect(connections).toBeLessThan(10);
    expect(lookups).toBe(connections);
    dialer.dropPool("pool");
    await textOf(dialer, origin);
    expect([lookups, server.connections()]).toEqual([connections + 1, connections + 1]);
  });

  it("lets a running request finish when its pool is dropped", async () => {
    const started = Promise.withResolvers<ServerResponse>();
    const server = await startLoopbackServer((_, response) => {
      response.write("first");
      started.resolve(response);
    });
    const dialer = createDialer({ allow: [`127.0.0.1:${server.port}`] });
    const { body } = await get(dialer, server.origin);
    dialer.dropPool("pool");
    (await started.promise).end(" last");
    expect(await body.text()).toBe("first last");
    await server.allClosed(1);
  });

  it("sends SNI without the trailing dot of the name", async () => {
    let hello = "";
    const server = createServer((socket) => {
      socket.once("data", (chunk) => {
        hello = chunk.toString("latin1");
        socket.destroy();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const dialer = createDialer({ allow: ["gpu.internal:*"], lookup: async () => [loopback] });
    await rejectionOf(textOf(dialer, `https://gpu.internal.:${port}`));
    expect(hello).toContain("gpu.internal");
    expect(hello).not.toContain("gpu.internal.");
    // In the list of protocols each has its length before it; the rest is random bytes.
    expect(hello).not.toContain("\u0002h2");
  });

  it("follows no redirect and decompresses nothing", async () => {
    const packed = gzipSync("plain");
    const server = await startLoopbackServer((_, response) => {
      response.writeHead(302, { location: "/elsewhere", "content-encoding": "gzip" }).end(packed);
    });
    const dialer = createDialer({ allow: [`127.0.0.1:${server.port}`] });
    const answer = await get(dialer, server.origin);
    expect(answer.statusCode).toBe(302);
    expect(Buffer.from(await answer.body.arrayBuffer()).equals(packed)).toBe(true);
  });

  it("carries 512 requests at a time", async () => {
    const held: (() => void)[] = [];
    const server = await startLoopbackServer((_, response) => {
      held.push(() => response.end());
      if (held.length === 512) for (const release of held) release();
    });
    const dialer = createDialer({ allow: [`127.0.0.1:${server.port}`] });
    const answers = Array.from({ length: 512 }, () => textOf(dialer, server.origin));
    expect(await Promise.all(answers)).toHaveLength(512);
  });

  it("keeps apart what its connections read at the same time", async () => {
    const pieces = Array.from({ length: 40 }, (_, index) => index * 977);
    const server = await startLoopbackServer((request, response) => {
      const letter = request.url?.slice(1) ?? "";
      for (const length of pieces) response.write(letter.repeat(length));
      response.end();
    });
    const dialer = createDialer({ allow: [`127.0.0.1:${server.port}`] });
    const length = pieces.reduce((sum, piece) => sum + piece, 0);
    const answers = Array.from("abcdefghijklmnop", async (letter) => {
      const request = { origin: server.origin, path: `/${letter}`, method: "GET" } as const;
      const { body } = await dialer.dispatcher("pool").request(request);
      return (await body.text()) === letter.repeat(length) ? "its own" : `not only ${letter}`;
    });
    expect(new Set(await Promise.all(answers))).toEqual(new Set(["its own"]));
  });

  it("serves more keys than it keeps pools for", async () => {
    const server = await startLoopbackServer((_, response) => response.end("here"));
    const dialer = createDialer({ allow: [`127.0.0.1:${server.port}`], maxPools: 2 });
    for (const key of ["a", "b", "c", "a", "b", "c"]) {
      expect(await textOf(dialer, server.origin, key)).toBe("here");
    }
  });
});

describe("dialFailure() of real dials", () => {
  it("tells an unknown name", async () => {
    const failed = textOf(createDialer({ lookup: unknownName }), "https://nowhere.example");
    expect(classifyDialFailure(await rejectionOf(failed))).toBe("dns");
    const empty = textOf(createDialer({ lookup: async () => [] }), "https://nowhere.example");
    expect(classifyDialFailure(await rejectionOf(empty))).toBe("dns");
  });

  it("tells a refused connection", async () => {
    const port = await closedPort();
    const failed = textOf(createDialer({ allow: ["127.0.0.1:*"] }), `http://127.0.0.1:${port}`);
    expect(classifyDialFailure(await rejectionOf(failed))).toBe("connect");
  });

  it("tells a refused connection to several addresses", async () => {
    const port = await closedPort();
    const dialer = createDialer({ allow: [`gpu.internal:${port}`], lookup: toTwoOfLoopback });
    expect(
      classifyDialFailure(await rejectionOf(textOf(dialer, `http://gpu.internal:${port}`))),
    ).toBe("connect");
  });

  it("tells a resolver or peer that is too slow", async () => {
    const dialer = createDialer({ lookup: neverAnswers, connectMs: 50 });
    expect(classifyDialFailure(await rejectionOf(textOf(dialer, "https://slow.example")))).toBe(
      "timeout",
    );
  });

  it("tells a peer that does not speak TLS", async () => {
    const server = await startLoopbackServer((_, response) => response.end());
    const dialer = createDialer({ allow: [`127.0.0.1:${server.port}`] });
    const failed = textOf(dialer, `https://127.0.0.1:${server.port}`);
    expect(classifyDialFailure(await rejectionOf(failed))).toBe("tls");
  });

  it("tells a reset before the answer", async () => {
    const server = await startLoopbackServer((request) => request.socket.destroy());
    const dialer = createDialer({ allow: [`127.0.0.1:${server.port}`] });
    expect(classifyDialFailure(await rejectionOf(textOf(dialer, server.origin)))).toBe("reset");
  });

  it("says nothing of an abort by the caller", async () => {
    const server = await startLoopbackServer(() => {});
    const dialer = createDialer({ allow: [`127.0.0.1:${server.port}`] });
    const abort = new AbortController();
    const failed = dialer
      .dispatcher("pool")
      .request({ origin: server.origin, path: "/", method: "GET", signal: abort.signal });
    abort.abort();
    expect(classifyDialFailure(await rejectionOf(failed))).toBeUndefined();
  });
});

function createDialer(options: Partial<DialerOptions> = {}): Dialer {
  const dialer = new Dialer({ allow: [], connectMs: 5000, ...options });
  onTestFinished(() => dialer.close());
  return dialer;
}

function get(dialer: Dialer, origin: string, poolKey = "pool") {
  return dialer.dispatcher(poolKey).request({ origin, path: "/", method: "GET" });
}

async function textOf(dialer: Dialer, origin: string, poolKey?: string): Promise<string> {
  const { body } = await get(dialer, origin, poolKey);
  return body.text();
}

function refusalOf(attempt: () => unknown): DialDeniedError {
  try {
    attempt();
  } catch (error) {
    if (error instanceof DialDeniedError) return error;
  }
  throw new Error("nothing was refused");
}

async function rejectionOf(promise: Promise<unknown>): Promise<Error> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Error) return error;
  throw new Error("nothing was rejected");
}
