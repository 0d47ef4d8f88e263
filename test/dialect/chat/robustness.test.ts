import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatCodec } from "../../../src/dialect/chat/codec.ts";
import { MalformedResponseError } from "../../../src/dialect/codec.ts";
import { asObject, type JsonObject } from "../../../src/dialect/json.ts";
import { placeToolResultsAfterCalls } from "../../../src/dialect/pair-tool-results.ts";
import { ApiError } from "../../../src/platform/errors.ts";
import { decode, encode, readText, sse } from "./contexts.ts";

const anything = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(null, "", "a", 0, -1, true, [], {}, [null], ["a"], [{}]),
  },
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>,
);

/** An object of which most members are right, some are missing and a few are anything. */
function mostly(
  members: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  requiredKeys: string[] = [],
): fc.Arbitrary<JsonObject> {
  const loose = Object.entries(members).map(
    ([name, value]) => [name, fc.oneof({ weight: 40, arbitrary: value }, anything)] as const,
  );
  return fc.record(Object.fromEntries(loose), { requiredKeys });
}

function list<Item>(item: fc.Arbitrary<Item>): fc.Arbitrary<Item[]> {
  return fc.array(item, { maxLength: 3 });
}

const text = fc.constantFrom("a", "", "call_0", "f");
const call = mostly({
  index: fc.nat(2),
  id: text,
  type: fc.constantFrom("function", "custom"),
  function: mostly({ name: text, arguments: fc.constantFrom("{}", "", '{"a":1}') }),
  custom: mostly({ name: text, input: text }),
});
const part = mostly({
  type: fc.constantFrom("text", "image_url", "file", "refusal", "thinking"),
  text,
  image_url: mostly({ url: fc.constantFrom("data:image/png;base64,AAAA", "https://a.test") }),
  file: mostly({ file_data: text, file_id: text, filename: text }),
  cache_control: mostly({ ttl: text }),
});
const message = mostly(
  {
    role: fc.constantFrom("system", "developer", "user", "user", "assistant", "tool", "function"),
    content: fc.oneof(text, list(part)),
    tool_call_id: text,
    tool_calls: list(call),
    function_call: mostly({ name: text, arguments: text }),
    reasoning_content: text,
    reasoning_details: list(mostly({ type: text, signature: text })),
    name: text,
  },
  ["role"],
);
const named = mostly({ name: text, parameters: fc.constant({}), strict: fc.boolean() });
const tool = mostly({
  type: fc.constantFrom("function", "custom"),
  function: named,
  custom: named,
});
const request = mostly(
  {
    model: text,
    messages: list(message),
    tools: list(tool),
    functions: list(named),
    tool_choice: fc.oneof(
      fc.constantFrom("auto", "none"),
      mostly({ type: fc.constant("function"), function: named }),
    ),
    response_format: mostly({
      type: fc.constantFrom("json_object", "json_schema"),
      json_schema: mostly({ schema: fc.constant({}) }),
    }),
    stop: fc.oneof(text, list(text)),
    stream_options: mostly({ include_usage: fc.boolean() }),
    reasoning_effort: fc.constantFrom("low", "none"),
    metadata: mostly({ a: text }),
    temperature: fc.double({ noNaN: true }),
  },
  ["model", "messages"],
);
const delta = mostly({
  role: text,
  content: fc.oneof(text, list(part)),
  reasoning: text,
  refusal: text,
  tool_calls: list(call),
  annotations: list(mostly({ url_citation: mostly({ url: text }) })),
});
const choice = mostly({
  index: fc.constant(0),
  delta,
  message: delta,
  finish_reason: fc.constantFrom(null, "stop", "length"),
  logprobs: mostly({ content: list(anything) }),
});
const chunk = mostly({
  choices: list(choice),
  usage: mostly({ prompt_tokens: fc.nat(), prompt_tokens_details: anything }),
  error: fc.constant(null),
});

/** Only a failure of the expected kind may come out. */
function expectOnly(kind: abstract new (...args: never[]) => Error, run: () => unknown): void {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(kind);
  }
}

describe("property: whatever is sent", () => {
  it("a caller's body is read or refused", () => {
    fc.assert(
      fc.property(request, (body) => {
        expectOnly(ApiError, () => encode(placeToolResultsAfterCalls(decode(body).turn)));
      }),
      { numRuns: 500 },
    );
  });

  it("an upstream's answer is read or malformed", () => {
    fc.assert(
      fc.property(chunk, (body) => {
        expectOnly(MalformedResponseError, () => chatCodec.decodeResponse(body, { stop: [] }));
      }),
      { numRuns: 500 },
    );
  });

  it("an upstream's stream is read or malformed, and its parts are in order", () => {
    fc.assert(
      fc.property(list(chunk), fc.boolean(), (chunks, isDone) => {
        expectOnly(MalformedResponseError, () => {
          const events = readText(sse(...chunks, ...(isDone ? ["[DONE]"] : [])));
          const open = new Set<number>();
          for (const event of events) {
            if (event.type === "part-start") open.add(event.index);
            if (event.type === "part-delta") expect(open).toContain(event.index);
            if (event.type === "part-end") expect(open.delete(event.index)).toBe(true);
            if (event.type === "response-end") expect([...open]).toEqual([]);
          }
        });
      }),
      { numRuns: 500 },
    );
  });

  it("the tests' bodies are not all refused", () => {
    const isRead = fc.sample(request, 500).some((body) => {
      try {
        return asObject(encode(placeToolResultsAfterCalls(decode(body).turn)).body) !== undefined;
      } catch {
        return false;
      }
    });
    expect(isRead).toBe(true);
  });
});
