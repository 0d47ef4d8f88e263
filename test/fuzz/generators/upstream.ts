import fc from "fast-check";
import { dialectNames, samplesOf, type DialectName } from "../dialects/all-samples.ts";
import type { SampleEvent } from "../dialects/dialect-samples.ts";
import type { FuzzCase, UpstreamAnswer } from "../fuzz-case.ts";
import type { World } from "../run/world.ts";
import { eventText } from "./event-text.ts";
import { hostileName, jsonText } from "./hostile.ts";
import { mutated } from "./mutate.ts";
import { cutAt, someCuts } from "./pieces.ts";

/** Stands in the request, and the upstream double knows by it what to answer. */
export const planMark = "plan-0-";

const honestRequests: Readonly<Record<DialectName, object>> = {
  dialect_chat: { messages: [{ role: "user", content: planMark }] },
  dialect_messages: { max_tokens: 50, messages: [{ role: "user", content: planMark }] },
  dialect_responses: { input: planMark },
};

/** An upstream's status is kept, also one that an event of it implies; what cannot be understood is 502. */
const failures = Array.from({ length: 500 }, (_, index) => 500 + index);

/** Honest calls between all pairs of dialects whose upstream answers with anything. */
export function upstreamCases(world: World): fc.Arbitrary<FuzzCase> {
  const dialect = fc.constantFrom(...dialectNames);
  return fc
    .record({
      from: dialect,
      to: dialect,
      stream: fc.boolean(),
      version: fc.constantFrom("http1" as const, "http1" as const, "http2" as const),
    })
    .chain(({ from, to, stream, version }) =>
      someAnswer(to, stream).map((upstream) => ({
        kind: "call",
        service: "gateway",
        version,
        method: "POST",
        path: `/v1${samplesOf[from].path}`,
        headers: { "content-type": "application/json", authorization: `Bearer ${world.callerKey}` },
        body: Buffer.from(
          JSON.stringify({ model: world.modelOf[to], stream, ...honestRequests[from] }),
        ),
        upstream,
        tolerates: failures,
      })),
    );
}

function someAnswer(dialect: DialectName, stream: boolean): fc.Arbitrary<UpstreamAnswer> {
  const { answers, streams } = samplesOf[dialect];
  const whole = mutated(fc.constantFrom(...answers)).map(jsonText);
  const events = mutated(fc.constantFrom(...streams)).map(streamText);
  const isEvents = fc.oneof(
    { weight: 9, arbitrary: fc.constant(stream) },
    { weight: 1, arbitrary: fc.constant(!stream) },
  );
  const text = isEvents.chain((asEvents) =>
    (asEvents ? events : whole).map((text) => ({ asEvents, text })),
  );
  return fc
    .record({
      text: fc.oneof(
        { weight: 12, arbitrary: text },
        { weight: 1, arbitrary: someNoise.map((text) => ({ asEvents: stream, text })) },
      ),
      length: fc.oneof(
        { weight: 8, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
      ),
      status: fc.oneof(
        { weight: 10, arbitrary: fc.constant(200) },
        { weight: 2, arbitrary: fc.constantFrom(400, 401, 403, 404, 429, 500, 503, 529) },
        { weight: 1, arbitrary: fc.constantFrom(100, 201, 204, 301, 304, 418, 599, 799) },
      ),
      headers: someHeaders,
      cuts: someCuts,
      ending: fc.oneof(
        { weight: 40, arbitrary: fc.constant("end" as const) },
        { weight: 4, arbitrary: fc.constant("reset" as const) },
        { weight: 1, arbitrary: fc.constant("stall" as const) },
      ),
    })
    .map(({ text: { asEvents, text }, length, status, headers, cuts, ending }) => {
      const bytes = Buffer.from(text.slice(0, Math.ceil(length * text.length)));
      const type = asEvents ? "text/event-stream" : "application/json";
      return {
        status,
        headers: { "content-type": type, ...headers },
        pieces: cutAt(bytes, cuts),
        ending,
      };
    });
}

function streamText(events: unknown): string {
  if (!Array.isArray(events)) return jsonText(events);
  return events
    .map((event: unknown) => (isEvent(event) ? eventText(event) : jsonText(event)))
    .join("");
}

function isEvent(value: unknown): value is SampleEvent {
  return typeof value === "object" && value !== null && "data" in value;
}

const someNoise: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "",
    "\n\n\n",
    "data",
    "data:\n\n",
    ": x\n\n",
    "event: constructor\n\n",
    "\ufeffdata: {}\n\n",
  ),
  fc.constantFrom(
    "<html>",
    "null",
    "[]",
    '"a"',
    "data: [DONE]\n\n",
    "retry: x\nid: \0\ndata: {}\r\r",
  ),
  hostileName.map((name) => `event: ${name}\ndata: {"type":${JSON.stringify(name)}}\n\n`),
  fc.string({ unit: "binary", maxLength: 200 }),
);

const someHeaders: fc.Arbitrary<Readonly<Record<string, string>>> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  fc.constantFrom<Record<string, string>>(
    { "content-type": "text/html" },
    { "content-type": "constructor" },
    { "content-length": "3" },
    { "content-length": "999999" },
    { "transfer-encoding": "chunked" },
    { "content-encoding": "gzip" },
    { "content-encoding": "constructor" },
    { "retry-after": "constructor" },
    { "retry-after": "-1" },
    { location: "http://127.0.0.1:9/" },
    { "content-type": "" },
    { "x-long": "v".repeat(20_000) },
  ),
);
