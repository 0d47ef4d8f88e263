import fc from "fast-check";
import type { Ending, FuzzCase, ServiceName } from "../fuzz-case.ts";
import type { World } from "../run/world.ts";
import { someCredential, type Headers } from "./credential.ts";
import { cutAt, someCuts } from "./pieces.ts";

export const someService: fc.Arbitrary<ServiceName> = fc.constantFrom(
  "gateway",
  "gateway",
  "tools",
);

export const someEnding: fc.Arbitrary<Ending> = fc.constantFrom(
  "wait",
  "wait",
  "wait",
  "half-close",
  "reset",
  "leave",
);

const methods = [
  ..."GET GET GET GET GET POST POST POST POST POST POST HEAD HEAD OPTIONS PUT PATCH DELETE TRACE CONNECT PURGE".split(
    " ",
  ),
  ..."PRI M-SEARCH QUERY get FROBNICATE G\0T".split(" "),
  "",
];

const paths = [
  ..."/v1/upstreams /v1/chat/completions /v1/messages /v1/responses /v1/models /v1/keys".split(" "),
  ..."/healthz /readyz /metrics / /mcp /docs /openapi.json /sign_in /v1/responses/x".split(" "),
  ..."/causeway.account.v1.AccountService/GetMe /v1/package_health /v1/runtime_eol".split(" "),
  ..."/invites/inv_0 /docs/services/a.json /grpc.reflection.v1.ServerReflection/x".split(" "),
  ..."* http://a/ //a/b /%00 /%zz /%ff /../x /v1/upstreams?limit=%zz&a=&&= /?".split(" "),
  ..."/v1/upstreams/constructor /v1/upstreams/__proto__ /v1/teams/%2e%2e/members".split(" "),
  "/v1/up streams",
  "/é",
  `/${"a".repeat(9000)}`,
  `/v1/upstreams?${"a=b&".repeat(1500)}`,
  "",
];

/** Mostly the right one: what stands behind another is not read. */
const someVersion = fc.oneof(
  { weight: 9, arbitrary: fc.constant("HTTP/1.1") },
  { weight: 1, arbitrary: fc.constantFrom("HTTP/1.0", "HTTP/1.0", "HTTP/9.9", "HTTP", "") },
);

const headerLines = [
  "connection: close",
  "connection: keep-alive",
  "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: AAAA\r\nsec-websocket-version: 13",
  "connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAAA",
  "upgrade: x",
  "expect: 100-continue",
  "expect: 200-ok",
  "content-type: application/json",
  "content-type: application/json; charset=utf-16",
  "content-type: application/grpc",
  "content-type: application/grpc-web+proto",
  "content-type: application/connect+json",
  "content-type: application/proto",
  "content-type: ;;",
  "content-length: 4",
  "content-length: 0",
  "content-length: -1",
  "content-length: 99999999999999999999",
  "content-length: 4, 4",
  "transfer-encoding: chunked",
  "transfer-encoding: gzip, chunked",
  "transfer-encoding: xchunked",
  "te: trailers",
  "trailer: x",
  "content-encoding: gzip",
  "accept-encoding: gzip;q=2, *;q=x",
  "accept: text/html",
  "host: x",
  "host: ",
  "host: [::1",
  "host: a b",
  "origin: null",
  "origin: http://[",
  "x-request-id: a b",
  "x-request-id: constructor",
  "idempotency-key: constructor",
  "if-none-match: *",
  "traceparent: 00-0-0-0",
  "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  "connect-timeout-ms: -1",
  "connect-protocol-version: 2",
  "grpc-timeout: 1x",
  "cookie: a; b=; =c; __proto__=1",
  "x-forwarded-for: constructor",
  "__proto__: 1",
  "constructor: 1",
  "x-svc-tags: a",
  "x-svc-warnings: x",
  "range: bytes=0-",
  "mcp-protocol-version: x",
  `x-long: ${"v".repeat(17_000)}`,
  "x-many: 1\r\n".repeat(1200).trim(),
  "x-a : b",
  "x-a: b\r\n c",
  "x-a: \u0001",
  "x-a: é",
  ": a",
  "noise",
];

const bodies = [
  "",
  "",
  "{}{}",
  "{}",
  "4\r\n{}{}\r\n0\r\n\r\n",
  "4\r\n{}{}\r\n0\r\nx: y\r\n\r\n",
  "4;a=b\r\n{}{}\r\n",
  "ffffffffffffffff\r\n",
  "zz\r\n",
  "4\n{}{}\n0\n\n",
  "-1\r\n",
  "0\r\n",
  "4\r\n{}{}",
  "\0".repeat(300),
  "\xff\x00\x00\x00\x03\x0a\x01a",
  "\x01\x00\x00\x00\x00",
  "\x00\xff\xff\xff\xff",
  "4\r\n{}{}\r\n".repeat(500),
  "x".repeat(70_000),
  "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n",
];

/** Requests over HTTP/1.1 of which hardly any is well-formed: several on a connection, cut anywhere. */
export function rawHttp1Cases(world: World): fc.Arbitrary<FuzzCase> {
  const requests = fc.oneof(
    { weight: 4, arbitrary: fc.array(requestText(world), { minLength: 1, maxLength: 1 }) },
    { weight: 2, arbitrary: fc.array(requestText(world), { minLength: 2, maxLength: 6 }) },
  );
  const bytes = fc.oneof(
    {
      weight: 20,
      arbitrary: fc
        .tuple(requests, someNoise)
        .map(([texts, noise]) => noise(Buffer.from(texts.join(""), "latin1"))),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((noise) => Buffer.from(noise)) },
  );
  return fc
    .record({ bytes, cuts: someCuts, service: someService, ending: someEnding })
    .map(({ bytes, cuts, service, ending }) => ({
      kind: "raw",
      reads: "http1",
      service,
      pieces: cutAt(bytes, cuts),
      ending,
      tolerates: [],
    }));
}

function requestText(world: World): fc.Arbitrary<string> {
  return fc
    .record({
      method: fc.constantFrom(...methods),
      path: fc.constantFrom(...paths),
      version: someVersion,
      host: fc.constantFrom(...Array.from({ length: 6 }, () => "host: 127.0.0.1\r\n"), ""),
      credential: someCredential(world),
      lines: fc.oneof(
        fc.array(fc.constantFrom(...headerLines), { maxLength: 1 }),
        fc.array(fc.constantFrom(...headerLines), { minLength: 2, maxLength: 4 }),
      ),
      body: fc.oneof(fc.constantFrom(...bodies), fc.constantFrom(...bodies).map(framed)),
    })
    .map(({ method, path, version, host, credential, lines, body }) => {
      const headers = [...linesOf(credential), ...lines].map((line) => `${line}\r\n`).join("");
      const framing = typeof body === "string" ? `\r\n${body}` : body.text;
      return `${method} ${path} ${version}\r\n${host}${headers}${framing}`;
    });
}

/** A body with the line that tells its length, so that what follows it is the next request. */
function framed(body: string): { readonly text: string } {
  return { text: `content-length: ${body.length}\r\n\r\n${body}` };
}

function linesOf(headers: Headers): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

/** Now and then a byte that is another, or an end that does not come. */
const someNoise: fc.Arbitrary<(bytes: Buffer) => Buffer> = fc.oneof(
  { weight: 5, arbitrary: fc.constant((bytes: Buffer) => bytes) },
  {
    weight: 1,
    arbitrary: fc
      .record({ at: fc.double({ min: 0, max: 0.999, noNaN: true }), byte: fc.nat(255) })
      .map(({ at, byte }) => (bytes: Buffer) => {
        const changed = Buffer.from(bytes);
        if (changed.length > 0) changed[Math.floor(at * changed.length)] = byte;
        return changed;
      }),
  },
  {
    weight: 1,
    arbitrary: fc
      .double({ min: 0, max: 1, noNaN: true })
      .map((at) => (bytes: Buffer) => bytes.subarray(0, Math.floor(at * bytes.length))),
  },
);
