import { describe, expect, it } from "vitest";
import { getDialectCodec } from "../../src/dialect/codecs.ts";
import { requestContext, targetContext } from "../support/codec-contexts.ts";

const bodies = {
  dialect_chat: { messages: [{ role: "user", content: "Hi?" }] },
  dialect_messages: { messages: [{ role: "user", content: "Hi?" }], max_tokens: 9 },
  dialect_responses: { input: "Hi?" },
};

const dialects = ["dialect_chat", "dialect_messages", "dialect_responses"] as const;

/** Names that could be taken for a member of an object. */
const dotted = { "vendor.mode": 1, "vendor.a.b": 2, "reasoning.mode": "x", vendor: { own: 3 } };

describe.each(dialects)("a member of a %s request whose name has dots", (dialect) => {
  function encode(to: (typeof dialects)[number]) {
    const body = { model: "m", ...bodies[dialect], ...dotted };
    const request = getDialectCodec(dialect).decodeRequest(body, requestContext());
    const context = targetContext();
    return {
      ...getDialectCodec(to).encodeRequest(request, context),
      warnings: context.warnings.warnings,
    };
  }

  it("keeps its name in a request of the same dialect", () => {
    const { body } = encode(dialect);
    expect(body).toMatchObject(Object.fromEntries(Object.entries(dotted).slice(0, 3)));
    expect(body["vendor"]).toEqual({ own: 3 });
    expect(body["reasoning"]).toBeUndefined();
  });

  it.each(dialects.filter((to) => to !== dialect))("is unknown to %s", (to) => {
    const { body, warnings } = encode(to);
    expect(Object.keys(body).filter((name) => /vendor|reasoning/.test(name))).toEqual([]);
    const path = "reasoning.mode";
    expect(warnings).toContainEqual({ path, action: "dropped", reason: "unknown" });
  });
});

it("A member of an object whose name has dots keeps its name in a request of the same dialect", () => {
  const stream_options = { "a.b": 1, include_usage: true };
  const chat = { model: "m", ...bodies.dialect_chat, stream: true, stream_options };
  const written = getDialectCodec("dialect_chat").encodeRequest(
    getDialectCodec("dialect_chat").decodeRequest(chat, requestContext()),
    targetContext(),
  );
  expect(written.body["stream_options"]).toEqual(stream_options);
});
