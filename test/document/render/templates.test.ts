/** Which segments of addresses are parameters, and in which order templates match. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryExchange } from "../arbitrary-exchange.ts";
import type { Exchange } from "../har.ts";
import { documentOf, matchesTemplate } from "../learned-document.ts";

const origin = "https://one.test";
const nine = "amber basalt cobalt dune ember fjord glade harbor inlet".split(" ");

function templatesOf(paths: readonly string[], more: Partial<Exchange> = {}): readonly string[] {
  const exchanges = paths.map((path) => ({ url: origin + path, ...more }));
  return documentOf(exchanges)["x-path-templates"];
}

describe("path templates", () => {
  it.each([
    ["an integer", "/orders/17", "/orders/{order_id}"],
    ["a UUID", "/users/550e8400-e29b-41d4-a716-446655440000", "/users/{user_id}"],
    ["a hash", "/commits/9fceb02d0ae598e95dc970b74767f19372d61af8", "/commits/{commit_id}"],
    ["a date", "/reports/2026-11-20", "/reports/{report_id}"],
    ["an e-mail address", "/people/ada@example.org", "/people/{person_id}"],
    ["an escape", "/tags/a%20b", "/tags/{tag_id}"],
    ["a long string", `/posts/${"word-".repeat(9)}`, "/posts/{post_id}"],
    ["a random string", "/files/x7Kq2mPz9", "/files/{file_id}"],
    ["the name of a person", "/users/ada.lovelace", "/users/{user_id}"],
    ["a token at the beginning", "/bot7781:AAF3kd9/send", "/{id}/send"],
    ["two ids in a row", "/orders/17/18", "/orders/{order_id}/{order_id_2}"],
    ["camel case before it", "/lineItems/5", "/lineItems/{line_item_id}"],
    ["a version before it", "/v1/17", "/v1/{id}"],
  ])("[learned.parameters] have a parameter for %s", (_what, path, template) => {
    expect(templatesOf([path])).toEqual([template]);
  });

  it.each(["/v1/orders", "/2.0/orders", "/2010-04-01/Accounts", "/api/v3/search", "/", "/a//b/"])(
    "keep %s as it is",
    (path) => {
      expect(templatesOf([path])).toEqual([path]);
    },
  );

  it("[learned.parameters] have a parameter for more than eight values with the same continuation", () => {
    const paths = nine.map((name) => `/v1/shops/${name}/items`);
    expect(templatesOf(paths)).toEqual(["/v1/shops/{shop_id}/items"]);
    expect(templatesOf(paths.slice(1))).toEqual(paths.slice(1));
  });

  it("count what looks like a value among the more than eight, as one of its kind", () => {
    const words = nine.map((name) => `/v1/shops/${name}/items`);
    const ids = Array.from({ length: 20 }, (_, index) => `/v1/shops/${index}/items`);
    expect(templatesOf([...words.slice(1), ...ids])).toEqual(["/v1/shops/{shop_id}/items"]);
    expect(templatesOf([...words.slice(2), ...ids])).toHaveLength(8);
    expect(templatesOf(["/v1/shops/mine/items", ...ids])).toEqual([
      "/v1/shops/mine/items",
      "/v1/shops/{shop_id}/items",
    ]);
  });

  it("take answers for alike that lack what is optional", () => {
    const whole = { id: 1, name: "n", tags: [], address: "a", owner: "o", size: 1, phone: "p" };
    const exchanges = nine.map((name, index) => ({
      url: `${origin}/v1/shops/${name}`,
      responseBody: index % 2 === 0 ? whole : { id: 1, name: "n" },
    }));
    expect(documentOf(exchanges)["x-path-templates"]).toEqual(["/v1/shops/{shop_id}"]);
  });

  it("see through parameters that follow", () => {
    const paths = nine.map((name, index) => `/repos/${name}/${nine[8 - index]}/issues`);
    expect(templatesOf(paths)).toEqual(["/repos/{repo_id}/{repo_id_2}/issues"]);
  });

  it("[learned.openings] keep the first segment, and the one after `api` or a version", () => {
    for (const before of ["", "/api", "/v2"]) {
      const paths = nine.map((name) => `${before}/${name}`);
      expect(templatesOf(paths)).toEqual(paths);
    }
  });

  it("keep values whose answers are not alike, or whose methods differ", () => {
    const unlike = nine.map((name) => ({
      url: `${origin}/admin/${name}`,
      responseBody: { [`${name}Total`]: 1, [`${name}Items`]: [] },
    }));
    expect(documentOf(unlike)["x-path-templates"]).toHaveLength(9);
    const methods = nine.map((name, index) => ({
      url: `${origin}/admin/${name}`,
      method: index % 2 === 0 ? "GET" : "POST",
    }));
    expect(documentOf(methods)["x-path-templates"]).toHaveLength(9);
  });

  it("[learned.constants] keep a value that is seen far more often than its siblings", () => {
    const often = Array.from({ length: 40 }, (_, index) => ({
      url: `${origin}/users/current`,
      at: new Date(Date.UTC(2026, 0, 1, index)).toISOString(),
    }));
    const others = nine.map((name) => ({ url: `${origin}/users/${name}` }));
    const document = documentOf([...often, ...others]);
    expect(document["x-path-templates"]).toEqual(["/users/current", "/users/{user_id}"]);
  });

  it("say what their parameters are", () => {
    const typeOf = (path: string) => {
      const [item] = Object.values(documentOf([{ url: origin + path }]).paths);
      return (item.get.parameters as { schema: unknown }[])[0]?.schema;
    };
    expect(typeOf("/orders/17")).toEqual({ type: "integer" });
    expect(typeOf("/days/2026-11-20")).toEqual({ type: "string", format: "date" });
    expect(typeOf("/users/550e8400-e29b-41d4-a716-446655440000")).toEqual({
      type: "string",
      format: "uuid",
    });
  });

  it("[learned.templates] match every observed address by its own template first", () => {
    fc.assert(
      fc.property(fc.array(arbitraryExchange, { minLength: 1, maxLength: 40 }), (exchanges) => {
        for (const base of ["https://one.test", "https://two.test"]) {
          const document = documentOf(exchanges, base);
          const templates = document["x-path-templates"];
          expect(document.servers).toEqual([{ url: base }]);
          for (const { url, method = "GET" } of exchanges.filter(({ url }) =>
            url.startsWith(base),
          )) {
            const { pathname } = new URL(url);
            const first = templates.find((template) => matchesTemplate(pathname, template)) ?? "";
            expect(document.paths[first]).toHaveProperty(method.toLowerCase());
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});
