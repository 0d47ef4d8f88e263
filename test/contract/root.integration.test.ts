/** What stands at the root of each port. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import packageFile from "../../package.json" with { type: "json" };
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";

/** As browsers send it. */
const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

function root(origin: string, headers: Record<string, string>, method = "GET") {
  return causeway.call(method, `${origin}/`, { headers });
}

describe.each(["gateway", "tools"] as const)("/ of the %s port", (service) => {
  const origin = () => (service === "gateway" ? causeway.url : causeway.toolsUrl);

  it.each(["*/*", "application/json", "application/json, text/html;q=0.5", "text/html;q=0"])(
    "[start.root] tells programs that accept %s what it is and where it is described",
    async (accept) => {
      const { status, headers, body } = await root(origin(), { accept });
      expect(status).toBe(200);
      expect(headers.get("vary")).toBe("accept");
      expect(body).toEqual({
        name: "causeway",
        version: packageFile.version,
        docs: `${origin()}/docs`,
        openapi: `${origin()}/openapi.json`,
      });
      expect((await causeway.call("GET", body.docs)).status).toBe(200);
      expect((await causeway.call("GET", body.openapi)).body.openapi).toMatch(/^3\.1/);
    },
  );

  it.each([browser, "text/html", "application/json;q=0.9, TEXT/HTML"])(
    "[start.root] is a page for who accepts %s, and every link of it leads somewhere",
    async (accept) => {
      const { status, headers, body } = await root(origin(), { accept });
      expect([status, headers.get("vary")]).toEqual([200, "accept"]);
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
      const links = [...body.matchAll(/ href="([^"]+)"/g)].map(([, link]) => link);
      expect(links).toEqual(expect.arrayContaining(["docs", "docs/errors", "openapi.json"]));
      for (const link of links.filter((it) => it !== "data:,")) {
        expect([link, (await causeway.call("GET", `${origin()}/${link}`)).status]).toEqual([
          link,
          200,
        ]);
      }
    },
  );

  it("[start.root] has a page that runs nothing and names no address", async () => {
    const { headers, body } = await root(origin(), { accept: browser });
    expect(body).not.toMatch(/<script|<img|\son\w+=|\sstyle=|\/\//i);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const [, style = ""] = /<style>([^<]*)<\/style>/.exec(body) ?? [];
    expect(policy).toContain(`'sha256-${createHash("sha256").update(style).digest("base64")}'`);
  });

  it("[start.head] answers HEAD alike, without a body", async () => {
    for (const accept of ["*/*", browser]) {
      const whole = await root(origin(), { accept });
      const head = await root(origin(), { accept }, "HEAD");
      expect([head.status, head.body]).toEqual([200, ""]);
      for (const name of ["content-type", "content-length", "vary"]) {
        expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
      }
    }
  });

  it("answers no other method", async () => {
    const { status, headers } = await root(origin(), {}, "DELETE");
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});
