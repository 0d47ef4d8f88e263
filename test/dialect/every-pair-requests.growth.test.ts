import { describe, it } from "vitest";
import { getDialectCodec } from "../../src/dialect/codecs.ts";
import type { JsonObject } from "../../src/dialect/json.ts";
import { requestContext, targetContext } from "../support/codec-contexts.ts";
import { dialectPairs, each, toolUse, type DialectName } from "../support/dialect-growth.ts";
import { expectLinear } from "../support/growth.ts";

const body = { model: "m", max_tokens: 10, stream: true };

function callMessage(index: number): JsonObject {
  const call = { id: `i${index}`, type: "function", function: { name: "f", arguments: "{}" } };
  return { role: "assistant", content: null, tool_calls: [call] };
}

type MakeBody = (size: number) => JsonObject;

const requests: Readonly<Record<string, Readonly<Record<DialectName, MakeBody>>>> = {
  messages: {
    chat: (count) => ({
      ...body,
      messages: each(count, () => [
        { role: "user", content: "a" },
        { role: "assistant", content: "b" },
      ]),
    }),
    messages: (count) => ({
      ...body,
      messages: each(count, () => [
        { role: "assistant", content: [{ type: "text", text: "b" }] },
        { role: "user", content: "a" },
      ]),
    }),
    responses: (count) => ({
      ...body,
      input: each(count, () => [
        { role: "user", content: "a" },
        { role: "assistant", content: "b" },
      ]),
    }),
  },
  calls: {
    chat: (count) => ({
      ...body,
      messages: [
        { role: "user", content: "a" },
        ...each(count, (index) => [
          callMessage(index),
          { role: "tool", tool_call_id: `i${index}`, content: "b" },
        ]),
      ],
    }),
    messages: (count) => ({
      ...body,
      messages: [
        { role: "user", content: "a" },
        ...each(count, (index) => [
          { role: "assistant", content: [{ ...toolUse, id: `i${index}` }] },
          {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: `i${index}`, content: "b" }],
          },
        ]),
      ],
    }),
    responses: (count) => ({
      ...body,
      input: [
        { role: "user", content: "a" },
        ...each(count, (index) => [
          { type: "function_call", call_id: `i${index}`, name: "f", arguments: "{}" },
          { type: "function_call_output", call_id: `i${index}`, output: "b" },
        ]),
      ],
    }),
  },
  "parallel calls": {
    chat: (count) => ({
      ...body,
      messages: [
        { role: "user", content: "a" },
        {
          role: "assistant",
          content: null,
          tool_calls: each(count, (index) => callMessage(index)["tool_calls"] as JsonObject[]),
        },
        ...each(count, (index) => ({ role: "tool", tool_call_id: `i${index}`, content: "b" })),
      ],
    }),
    messages: (count) => ({
      ...body,
      messages: [
        { role: "user", content: "a" },
        { role: "assistant", content: each(count, (index) => ({ ...toolUse, id: `i${index}` })) },
        {
          role: "user",
          content: each(count, (index) => ({
            type: "tool_result",
            tool_use_id: `i${index}`,
            content: "b",
          })),
        },
      ],
    }),
    responses: (count) => ({
      ...body,
      input: [
        { role: "user", content: "a" },
        ...each(count, (index) => ({
          type: "function_call",
          call_id: `i${index}`,
          name: "f",
          arguments: "{}",
        })),
        ...each(count, (index) => ({
          type: "function_call_output",
          call_id: `i${index}`,
          output: "b",
        })),
      ],
    }),
  },
  parts: {
    chat: (count) => ({
      ...body,
      messages: [{ role: "user", content: each(count, () => ({ type: "text", text: "a" })) }],
    }),
    messages: (count) => ({
      ...body,
      messages: [{ role: "user", content: each(count, () => ({ type: "text", text: "a" })) }],
    }),
    responses: (count) => ({
      ...body,
      input: [{ role: "user", content: each(count, () => ({ type: "input_text", text: "a" })) }],
    }),
  },
  tools: {
    chat: (count) => ({
      ...body,
      messages: [{ role: "user", content: "a" }],
      tools: each(count, (index) => ({
        type: "function",
        function: { name: `f${index}`, parameters: { type: "object" } },
      })),
    }),
    messages: (count) => ({
      ...body,
      messages: [{ role: "user", content: "a" }],
      tools: each(count, (index) => ({ name: `f${index}`, input_schema: { type: "object" } })),
    }),
    responses: (count) => ({
      ...body,
      input: "a",
      tools: each(count, (index) => ({
        type: "function",
        name: `f${index}`,
        parameters: { type: "object" },
      })),
    }),
  },
  reasoning: {
    chat: (count) => ({
      ...body,
      messages: each(count, () => [
        { role: "user", content: "a" },
        { role: "assistant", reasoning_content: "a", content: "b" },
      ]),
    }),
    messages: (count) => ({
      ...body,
      messages: [
        { role: "user", content: "a" },
        {
          role: "assistant",
          content: each(count, () => ({ type: "thinking", thinking: "a", signature: "s" })),
        },
        { role: "user", content: "a" },
      ],
    }),
    responses: (count) => ({
      ...body,
      store: false,
      input: each(count, () => [
        { role: "user", content: "a" },
        {
          type: "reasoning",
          summary: [{ type: "summary_text", text: "a" }],
          encrypted_content: "e",
        },
      ]),
    }),
  },
};

describe.each(Object.entries(requests))("a request with many %s", (_what, byDialect) => {
  it.each(dialectPairs)(
    "takes time that grows with its length from %s to %s",
    (caller, upstream) => {
      expectLinear(1500, (count) => {
        const given = byDialect[caller](count);
        return () => {
          const turn = getDialectCodec(`dialect_${caller}`).decodeRequest(given, requestContext());
          return getDialectCodec(`dialect_${upstream}`).encodeRequest(turn, targetContext());
        };
      });
    },
  );
});
