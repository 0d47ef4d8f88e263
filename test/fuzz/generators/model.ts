import fc from "fast-check";
import { dialectNames, samplesOf, type DialectName } from "../dialects/all-samples.ts";
import type { CallCase, FuzzCase } from "../fuzz-case.ts";
import type { World } from "../run/world.ts";
import { someCredential } from "./credential.ts";
import { hostileName, jsonText } from "./hostile.ts";
import { mutated } from "./mutate.ts";
import { someCuts } from "./pieces.ts";
import { rawCall } from "./raw-call.ts";

/** Bodies of model calls in the three dialects, honest but for what is done to them, to every kind of upstream. */
export function modelCases(world: World): fc.Arbitrary<FuzzCase> {
  return fc
    .record({
      from: fc.constantFrom(...dialectNames),
      to: fc.constantFrom(...dialectNames),
      place: fc.constantFrom("call", "call", "call", "call", "call", "preview", "count", "kept"),
      version: fc.constantFrom("http1", "http1", "http2"),
      credential: fc.oneof(
        { weight: 6, arbitrary: fc.constant({ authorization: `Bearer ${world.callerKey}` }) },
        { weight: 1, arbitrary: someCredential(world) },
      ),
      headers: someHeaders,
      cuts: fc.oneof(
        { weight: 6, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: someCuts },
      ),
    })
    .chain(({ from, to, place, version, credential, headers, cuts }) =>
      fc.tuple(someBody(from, to, world), hostileName).map(([body, name]) => {
        const call: CallCase = {
          kind: "call",
          service: "gateway",
          version,
          headers: { "content-type": "application/json", ...credential, ...headers },
          tolerates: [],
          ...placed(place, from, to, body, name),
        };
        return cuts === undefined || call.body === undefined ? call : rawCall(call, cuts);
      }),
    );
}

type Placed = Pick<CallCase, "method" | "path" | "body">;

function placed(
  place: string,
  from: DialectName,
  to: DialectName,
  body: unknown,
  name: string,
): Placed {
  const post = (path: string, value: unknown): Placed => ({
    method: "POST",
    path,
    body: Buffer.from(jsonText(value)),
  });
  switch (place) {
    case "preview":
      return post("/v1/transcode/preview", { from: from.replace("dialect_", ""), to, body });
    case "count":
      return post("/v1/messages/count_tokens", body);
    case "kept": {
      const id = encodeURIComponent(name.toWellFormed());
      return { method: "GET", path: `/v1/responses/${id}?stream=${id}`, body: undefined };
    }
    default:
      return post(`/v1${samplesOf[from].path}`, body);
  }
}

function someBody(from: DialectName, to: DialectName, world: World): fc.Arbitrary<unknown> {
  const model = fc.oneof(
    { weight: 8, arbitrary: fc.constant(world.modelOf[to]) },
    { weight: 1, arbitrary: fc.constantFrom(...world.models) },
    { weight: 1, arbitrary: hostileName.map((name) => `custom/${name}/${name}`) },
    { weight: 1, arbitrary: hostileName },
    { weight: 1, arbitrary: hostileName.map((name) => `@${name}`) },
  );
  const honest = fc
    .record({
      model,
      stream: fc.boolean(),
      members: fc.constantFrom(...samplesOf[from].requests),
    })
    .map(({ model, stream, members }) => ({ model, stream, ...members }));
  return mutated(honest);
}

const someHeaders: fc.Arbitrary<Readonly<Record<string, string>>> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  fc.constantFrom<Record<string, string>>(
    { "x-svc-route": "constructor" },
    { "x-svc-route": "credits" },
    { "x-svc-mode": "agent" },
    { "x-svc-mode": "__proto__" },
    { "x-svc-engine": "constructor" },
    { "x-svc-strict": "true" },
    { "x-svc-tags": "constructor=1, __proto__=2" },
    { "x-svc-session": "a" },
    { "content-type": "text/plain" },
    { "content-type": "application/json; charset=latin1" },
    { "content-encoding": "gzip" },
    { "anthropic-version": "constructor", "anthropic-beta": "__proto__" },
    { accept: "text/event-stream;q=x" },
  ),
);
