/** HEAD wherever GET is. */
import { once } from "node:events";
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from "node:http2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";

/** What is not of the interface description. */
const pages = ["/", "/docs", "/docs/errors", "/docs/js/scalar.js", "/openapi.json"];
const gatewayPages = [...pages, "/sign_in", "/invites/inv_x", "/docs/services/x"];

let causeway: TestInstance;
let session: string;

beforeAll(async () => {
  causeway = await startTestInstance();
  session = (await causeway.createUser()).session;
});

afterAll(() => causeway.close());

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Every path of a port that answers GET, with a value in the place of each parameter. */
async function pathsOf(origin: string, more: readonly string[]): Promise<string[]> {
  const { body } = await causeway.call("GET", `${origin}/openapi.json`);
  const paths = Object.entries((body as Described).paths);
  const described = paths.filter(([, methods]) => "get" in methods).map(([path]) => path);
  return [...described, ...more].map((path) => path.replaceAll(/\{\w+\}/g, "x"));
}

function tokenFor(path: string): string {
  return path.startsWith("/v1/admin") ? causeway.adminToken : session;
}

/** Status and head of an answer over HTTP/2, and whether anything came after it. */
async function askOverHttp2(client: ClientHttp2Session, method: string, path: string) {
  const authorization = `Bearer ${tokenFor(path)}`;
  const stream = client.request({ ":method": method, ":path": path, authorization });
  const [headers] = (await once(stream, "response")) as [IncomingHttpHeaders];
  let bytes = 0;
  for await (const chunk of stream) bytes += (chunk as Buffer).length;
  return { status: headers[":status"], type: headers["content-type"], bytes };
}

describe.each([
  ["gateway", () => causeway.url, gatewayPages],
  ["tools", () => causeway.toolsUrl, pages],
] as const)("HEAD on the %s port", (_name, originOf, more) => {
  it("[start.head] is answered as GET is, without a body, at every path", async () => {
    const origin = originOf();
    const paths = await pathsOf(origin, more);
    expect(paths.length).toBeGreaterThan(5);
    for (const path of paths) {
      const options = { token: tokenFor(path) };
      const get = await causeway.call("GET", origin + path, options);
      const head = await causeway.call("HEAD", origin + path, options);
      const type = get.headers.get("content-type");
      expect([path, head.status, head.headers.get("content-type"), head.body]).toEqual([
        path,
        get.status,
        type,
        "",
      ]);
      expect([path, head.status]).not.toEqual([path, 405]);
    }
  });

  it("[start.head] is answered over HTTP/2 as well", async () => {
    const client = connect(originOf());
    for (const path of await pathsOf(originOf(), more)) {
      const get = await askOverHttp2(client, "GET", path);
      const head = await askOverHttp2(client, "HEAD", path);
      expect([path, head]).toEqual([path, { ...get, bytes: 0 }]);
    }
    client.close();
  });
});
