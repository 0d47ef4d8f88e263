import * as fc from "fast-check";
import type { Exchange } from "./har.ts";

const word = fc.constantFrom(
  "orders",
  "users",
  "items",
  "search",
  "status",
  "billing",
  "v1",
  "api",
);
const id = fc.oneof(
  fc.nat(99_999).map(String),
  fc.uuid(),
  fc.constantFrom("2026-11-20", "a%20b", "ada@example.org", "9f8c1e77ab03"),
);
const slug = fc.constantFrom(
  ..."amber basalt cobalt dune ember fjord glade harbor inlet juniper kelp lagoon".split(" "),
);

const body: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom("text", "2026-01-01", "2026-01-01T00:00:00Z", "a@b.co", "https://a.test/x"),
    fc.uuid(),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(
      fc.oneof(fc.constantFrom("name", "total", "created_at", "items"), fc.uuid()),
      tie("value"),
      { maxKeys: 4 },
    ),
  ),
})).value;

/** One exchange with a service that has collections, ids, and names that are values. */
export const arbitraryExchange: fc.Arbitrary<Exchange> = fc.record(
  {
    method: fc.constantFrom("GET", "POST", "PUT", "DELETE"),
    url: fc
      .tuple(
        fc.constantFrom("https://one.test", "https://two.test"),
        fc.array(fc.oneof(word, id, slug), { maxLength: 5 }),
        fc.constantFrom("", "?limit=3", "?tag=a&tag=b", "?q=x&limit=y"),
      )
      .map(([origin, segments, query]) => `${origin}/${segments.join("/")}${query}`),
    status: fc.constantFrom(200, 201, 404),
    requestHeaders: fc.constantFrom({}, { "x-tenant": "t" }, { authorization: "Bearer b" }),
    requestBody: body,
    responseBody: body,
    at: fc.constantFrom("2026-11-20T10:00:00Z", "2026-11-21T23:59:59+02:00", "never"),
  },
  { requiredKeys: ["url"] },
);
