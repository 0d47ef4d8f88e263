import fc from "fast-check";
import {
  gatewayServiceDescriptors,
  depshealthServiceDescriptors,
} from "../../../src/contract/services.ts";
import { readRestRules, type RestRule } from "../../../src/contract/rest-rule.ts";
import type { CallCase, FuzzCase, ServiceName } from "../fuzz-case.ts";
import type { World } from "../run/world.ts";
import { someCredential } from "./credential.ts";
import { jsonText } from "./hostile.ts";
import { someJsonMessage, someText } from "./message.ts";
import { mutated } from "./mutate.ts";
import { someCuts } from "./pieces.ts";
import { rawCall } from "./raw-call.ts";
import { credentialFor } from "./rule-credential.ts";

interface Route {
  readonly service: ServiceName;
  readonly rule: RestRule;
}

const routes: readonly Route[] = [
  ...gatewayServiceDescriptors.map((contract) => ["gateway", contract] as const),
  ...depshealthServiceDescriptors.map((contract) => ["tools", contract] as const),
].flatMap(([service, contract]) =>
  contract.methods.flatMap(readRestRules).map((rule) => ({ service, rule })),
);

/** Requests of every management and tool operation, with bodies of its own type and hostile ones. */
export function restCases(world: World): fc.Arbitrary<FuzzCase> {
  return fc.constantFrom(...routes).chain((route) => routeCase(route, world));
}

function routeCase({ service, rule }: Route, world: World): fc.Arbitrary<FuzzCase> {
  const body = mutated(
    someJsonMessage(rule.method.input, world).map((fields) => without(fields, rule)),
  );
  const names = rule.pathFields.map((name) => someText(world, name));
  return fc
    .record({
      names: fc.tuple(...names),
      query: someQuery(rule),
      body,
      credential: fc.oneof(
        { weight: 3, arbitrary: credentialFor(rule.method, world) },
        { weight: 1, arbitrary: someCredential(world) },
      ),
      extra: fc.constantFrom<Record<string, string>>(
        {},
        {},
        {},
        { "idempotency-key": "constructor" },
        { "content-type": "text/plain" },
        { "content-encoding": "gzip" },
        { "x-request-id": "__proto__" },
      ),
      version: fc.constantFrom("http1", "http1", "http2"),
      cuts: fc.oneof(
        { weight: 6, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: someCuts },
      ),
    })
    .map(({ names, query, body, credential, extra, version, cuts }) => {
      const call: CallCase = {
        kind: "call",
        service,
        version,
        method: rule.httpMethod,
        path: pathOf(rule, names) + query,
        headers: { "content-type": "application/json", ...credential, ...extra },
        body: rule.httpMethod === "GET" ? undefined : Buffer.from(jsonText(body)),
        tolerates: [],
      };
      return cuts === undefined ? call : rawCall(call, cuts);
    });
}

/** What the path says is not said again; now and then it is. */
function without(fields: Record<string, unknown>, { pathFields, body }: RestRule): unknown {
  const left = Object.fromEntries(
    Object.entries(fields).filter(([name]) => !pathFields.includes(name)),
  );
  return body === undefined || body === "*" ? left : (left[body] ?? left);
}

function pathOf({ template, pathFields }: RestRule, names: readonly string[]): string {
  let path = template;
  pathFields.forEach((field, index) => {
    path = path.replace(`{${field}}`, () =>
      encodeURIComponent((names[index] ?? "").toWellFormed()),
    );
  });
  return path;
}

function someQuery({ httpMethod, method }: RestRule): fc.Arbitrary<string> {
  if (httpMethod !== "GET") return fc.constant("");
  const names = method.input.fields.map(({ name }) => name);
  const pair = fc.tuple(
    fc.constantFrom("limit", "constructor", "__proto__", ...names),
    fc.constantFrom(
      "1",
      "0",
      "101",
      "-1",
      "1e3",
      "",
      "%00",
      "%zz",
      "constructor",
      "a&b",
      "2026-01-01T00:00:00Z",
      "9999-99-99",
      "day",
      "model",
      "key",
    ),
  );
  return fc
    .array(pair, { maxLength: 3 })
    .map((pairs) =>
      pairs.length === 0 ? "" : `?${pairs.map((pair) => pair.join("=")).join("&")}`,
    );
}
